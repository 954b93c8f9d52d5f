/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Demangling of C++ linker names. */
#pragma once
#include <glib.h>

/* "ns::f(int)" for "_ZN2ns1fEi". NULL: not a C++ name. Caller owns. */
char *symbol_demangle (const char *name);
/* "ns::f" for it, "ns::g<int>" for "void ns::g<int>(int)". NULL: not a C++ name. Caller
 * owns. */
char *symbol_demangle_function (const char *name);
