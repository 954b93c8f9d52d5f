/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once
#include <float.h>
#include <glib.h>
#include <math.h>
#include <stdlib.h>

/* A number that holds what any other of the machine's holds, exactly: IEEE's binary128 where compiler and C library (glibc
 * from 2.26 on) compute with it, else long double. BASE_REAL (floor) is the function for it. */
#if defined __GLIBC_USE && __HAVE_FLOAT128
#if __GLIBC_USE(IEC_60559_TYPES_EXT)
#define BASE_HAS_QUAD 1
#endif
#endif
#ifdef BASE_HAS_QUAD
typedef _Float128 BaseReal;
#define BASE_REAL(function) function##f128
#else
typedef long double BaseReal;
#define BASE_REAL(function) function##l
#endif
/* Whether it holds a binary128, too. */
#if defined BASE_HAS_QUAD || LDBL_MANT_DIG == 113
#define BASE_REAL_IS_QUAD 1
#else
#define BASE_REAL_IS_QUAD 0
#endif

/* As gdb has it: the fewest digits, from 6, 15 or 18 on (5 of two bytes), that give the same number of so many bytes again. Caller owns. */
char *base_real_format (long double real, guint64 size);
/* The same of a binary128, from 33 digits on. Caller owns. */
char *base_real_format_quad (BaseReal real);
/* The number that the text is, rounded to a binary128. */
BaseReal base_real_parse (const char *text);
/* As printf writes it, with "-8.3" between '%' and the letter. Caller owns. */
char *base_real_print (const char *flags, char letter, BaseReal real);
