/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The layouts of CPython's minor versions, each a column of layout-fields.h. */
#include "python/layout-private.h"
#include "base/array.h"

#define OF_8(name, v8, v9, v10, v11, v12, v13, v14) .name = v8,
#define OF_9(name, v8, v9, v10, v11, v12, v13, v14) .name = v9,
#define OF_10(name, v8, v9, v10, v11, v12, v13, v14) .name = v10,
#define OF_11(name, v8, v9, v10, v11, v12, v13, v14) .name = v11,
#define OF_12(name, v8, v9, v10, v11, v12, v13, v14) .name = v12,
#define OF_13(name, v8, v9, v10, v11, v12, v13, v14) .name = v13,
#define OF_14(name, v8, v9, v10, v11, v12, v13, v14) .name = v14,
#define LAYOUT(number, how_lines, how_chain, how_attributes)                                   \
    {                                                                                          \
        .minor = number, .lines = PYTHON_LINES_##how_lines, .chain = PYTHON_CHAIN_##how_chain, \
        .attributes = PYTHON_ATTRIBUTES_##how_attributes, PYTHON_LAYOUT_FIELDS (OF_##number)   \
    }

static const PythonLayout layouts[] = {
    LAYOUT (8, LNOTAB, OBJECTS, DICT),     LAYOUT (9, LNOTAB, OBJECTS, DICT),
    LAYOUT (10, PAIRS, OBJECTS, DICT),     LAYOUT (11, LOCATIONS, CFRAMES, SPLIT),
    LAYOUT (12, LOCATIONS, SHIMS, TAGGED), LAYOUT (13, LOCATIONS, SHIMS, INLINE),
    LAYOUT (14, LOCATIONS, SHIMS, INLINE),
};

const PythonLayout *
python_layout_find (guint minor)
{
    return BASE_CHOOSE (i, G_N_ELEMENTS (layouts), layouts[i].minor == minor, &layouts[i],
                        NULL);
}
