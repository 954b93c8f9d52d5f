/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/part.h"
#include "profile/private.h"
#include <math.h>

#define MOST_UNITS 4000000000 /* less than a sample's weight can have */

gint64
profile_part_get_unit_ns (const ProfilePart *part)
{
    return 1 + MAX (part->end_ns - part->begin_ns, 0) / MOST_UNITS;
}

static double
get_first_ns (const ProfileModel *model)
{
    return (double) profile_model_find_first (model) * 1000;
}

ProfilePart
profile_part_new (const ProfileModel *model, double begin_s, double end_s)
{
    double first_ns = get_first_ns (model);
    double begin_ns = MAX (0, first_ns + begin_s * 1e9);

    return (ProfilePart){ (gint64) floor (begin_ns),
                          (gint64) ceil (MAX (begin_ns, first_ns + end_s * 1e9)) };
}

double
profile_part_get_seconds (const ProfilePart *part, const ProfileModel *model,
                          const ProfileModel *read, double time_s)
{
    double ns = get_first_ns (model) - (double) part->begin_ns + time_s * 1e9;

    return (ns / (double) profile_part_get_unit_ns (part)
            - (double) profile_model_find_first (read))
           / G_USEC_PER_SEC;
}
