/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the linker's names of C++ mean. */
#pragma once
#include <glib.h>

/* "ns::f(int)" of "_ZN2ns1fEi". NULL: it is no such name. Caller owns. */
char *symbol_demangle (const char *name);
/* "ns::f" of it, "ns::g<int>" where the whole is "void ns::g<int>(int)". NULL: it is no such name. Caller
 * owns. */
char *symbol_demangle_function (const char *name);
