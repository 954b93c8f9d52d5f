/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layout: a totals bar above a strip that wraps like text. A rank gets 14 px where there is room;
 * where there is not, a column stands for several ranks. */
#include "gui/chart/chart-layout.h"

enum {
    PAD = 8,
    TOTALS = 30,
    SPACE = 8,
    ROW_MIN = 22,
    ROW_MAX = 64,
    ROW_GAP = 4,
    LABELS = 58,
    CELL = 14,
    CELL_MAX = 72,
    SEGMENT_MIN = 8,
    LOW = 76, /* below it there are no totals */
    LOW_ROW = 26,
    LOW_ROWS = 2
};

static guint32
round_up (guint32 value, guint32 multiple)
{
    return (guint32) (((guint64) value + multiple - 1) / multiple * multiple);
}

static guint32
get_ranks_per_row (guint32 n_ranks, guint32 n_rows)
{
    guint32 per_row = (guint32) (((guint64) n_ranks + n_rows - 1) / n_rows);

    if (n_rows == 1) {
        return per_row;
    }
    return round_up (per_row, n_ranks > 4096 ? 256 : n_ranks > 512 ? 64 : 8);
}

static int
get_strip_width (int width, guint32 n_rows)
{
    return MAX (width - 2 * PAD - (n_rows > 1 ? LABELS : 0), 16);
}

/* The number of rows with which each rank gets CELL px, at most `limit`. */
static guint32
choose_rows (guint32 n_ranks, int width, guint32 limit)
{
    for (guint32 rows = 1; rows < limit; rows++) {
        guint64 needed = (guint64) get_ranks_per_row (n_ranks, rows) * CELL;

        if (needed <= (guint64) get_strip_width (width, rows)) {
            return rows;
        }
    }
    return limit;
}

void
gui_chart_layout_init (GuiChartLayout *layout, guint32 n_ranks, int width, int height)
{
    int totals = height < LOW ? 0 : TOTALS;
    int strip_y = totals > 0 ? PAD + totals + SPACE : PAD;
    int room = MAX (height - strip_y - PAD, ROW_MIN);
    guint32 limit = (guint32) MAX ((room + ROW_GAP) / (ROW_MIN + ROW_GAP), 1);

    *layout = (GuiChartLayout){ .width = width, .height = height, .n_ranks = n_ranks };
    layout->totals = (GuiRectangle){ PAD, PAD, MAX (width - 2 * PAD, 16), totals };
    if (n_ranks == 0) {
        return;
    }
    layout->n_rows = choose_rows (n_ranks, width, limit);
    layout->ranks_per_row = get_ranks_per_row (n_ranks, layout->n_rows);
    layout->n_rows = (n_ranks + layout->ranks_per_row - 1) / layout->ranks_per_row;
    layout->label_width = layout->n_rows > 1 ? LABELS : 0;
    int strip_width = get_strip_width (width, layout->n_rows);
    layout->ranks_per_column = (layout->ranks_per_row + (guint32) strip_width - 1)
                               / (guint32) strip_width;
    layout->columns_per_row = (layout->ranks_per_row + layout->ranks_per_column - 1)
                              / layout->ranks_per_column;
    strip_width = (int) MIN ((guint64) strip_width,
                             (guint64) layout->columns_per_row * CELL_MAX);
    int rows_height = (room + ROW_GAP) / (int) layout->n_rows - ROW_GAP;
    layout->row_height = CLAMP (rows_height, ROW_MIN, ROW_MAX);
    layout->strip = (GuiRectangle){ PAD + layout->label_width, strip_y, strip_width,
                                    (layout->row_height + ROW_GAP) * (int) layout->n_rows
                                        - ROW_GAP };
}

int
gui_chart_layout_get_height (guint32 n_ranks, int width)
{
    guint32 rows = n_ranks == 0 ? 1 : choose_rows (n_ranks, width, 8);
    int row_height = rows == 1 ? 44 : 26;

    return CLAMP (2 * PAD + TOTALS + SPACE + (int) rows * (row_height + ROW_GAP), 90, 260);
}

int
gui_chart_layout_get_low_height (guint32 n_ranks, int width)
{
    guint32 rows = n_ranks == 0 ? 1 : choose_rows (n_ranks, width, LOW_ROWS);

    return 2 * PAD + (int) rows * (LOW_ROW + ROW_GAP) - ROW_GAP;
}

void
gui_chart_layout_get_column (const GuiChartLayout *layout, guint32 row, guint32 column,
                             guint32 *ret_first, guint32 *ret_end)
{
    guint64 begin = (guint64) row * layout->ranks_per_row;
    guint64 row_end = MIN (begin + layout->ranks_per_row, layout->n_ranks);
    guint64 first = MIN (begin + (guint64) column * layout->ranks_per_column, row_end);

    *ret_first = (guint32) first;
    *ret_end = (guint32) MIN (first + layout->ranks_per_column, row_end);
}

void
gui_chart_layout_get_cell (const GuiChartLayout *layout, guint32 row, guint32 column,
                           GuiRectangle *ret_cell)
{
    gint64 width = layout->strip.width, n = layout->columns_per_row;
    int x0 = (int) (width * column / n), x1 = (int) (width * (column + 1) / n);

    *ret_cell = (GuiRectangle){ layout->strip.x + x0,
                                layout->strip.y + (int) row * (layout->row_height + ROW_GAP),
                                x1 - x0, layout->row_height };
}

GuiChartPart
gui_chart_layout_hit (const GuiChartLayout *layout, double x, double y, guint32 *ret_first,
                      guint32 *ret_end)
{
    const GuiRectangle *totals = &layout->totals, *strip = &layout->strip;

    *ret_first = *ret_end = 0;
    if (x >= totals->x && x < totals->x + totals->width && y >= totals->y
        && y < totals->y + totals->height) {
        return GUI_CHART_TOTALS;
    }
    if (layout->n_rows == 0 || x < strip->x || x >= strip->x + strip->width || y < strip->y
        || y >= strip->y + strip->height) {
        return GUI_CHART_NOWHERE;
    }
    guint32 row = (guint32) (y - strip->y) / (guint32) (layout->row_height + ROW_GAP);
    gint64 at = (gint64) (x - strip->x);
    guint32 column = (guint32) (((at + 1) * layout->columns_per_row - 1) / strip->width);
    gui_chart_layout_get_column (layout, row, column, ret_first, ret_end);
    if (*ret_first == *ret_end) {
        *ret_first = *ret_end = 0;
        return GUI_CHART_NOWHERE;
    }
    return GUI_CHART_STRIP;
}

const JobState *
gui_chart_layout_get_order (void)
{
    static JobState order[JOB_N_STATES];
    static gsize ready;

    if (g_once_init_enter (&ready)) {
        for (guint i = 0; i < JOB_N_STATES; i++) {
            guint at = i;

            for (; at > 0
                   && job_state_get_info (order[at - 1])->severity
                          < job_state_get_info ((JobState) i)->severity;
                 at--) {
                order[at] = order[at - 1];
            }
            order[at] = (JobState) i;
        }
        g_once_init_leave (&ready, 1);
    }
    return order;
}

guint
gui_chart_layout_get_totals (const GuiChartLayout *layout, const guint32 *counts,
                             JobState *ret_order, int *ret_x, int *ret_widths)
{
    const JobState *order = gui_chart_layout_get_order ();
    guint64 sum = 0, seen = 0;
    guint n = 0;

    for (guint i = 0; i < JOB_N_STATES; i++) {
        if (counts[order[i]] > 0) {
            ret_order[n++] = order[i];
            sum += counts[order[i]];
        }
    }
    int share = MAX (layout->totals.width - (int) n * SEGMENT_MIN, 0);
    int x = layout->totals.x;
    for (guint i = 0; i < n; i++) {
        seen += counts[ret_order[i]];
        int end = layout->totals.x + (int) (i + 1) * SEGMENT_MIN + (int) (share * seen / sum);

        ret_x[i] = x;
        ret_widths[i] = end - x;
        x = end;
    }
    return n;
}
