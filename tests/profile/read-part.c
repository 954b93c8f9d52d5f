/* SPDX-License-Identifier: GPL-3.0-or-later */
/* read-part PDDT-ARCHIVE ARCHIVE BEGIN_NS END_NS: a row for each stretch of that part of an archive: rank, thread, begin and
 * end in ns, and the functions that were under way, outermost first. */
#include "profile/part.h"
#include <stdio.h>
#include <stdlib.h>

static void
print_stack (const ProfileModel *model, guint32 context)
{
    const JobContext *frame;

    if (context == 0) {
        return;
    }
    frame = job_context_tree_get (profile_model_get_contexts (model), context);
    print_stack (model, frame->parent);
    printf ("\t%s", frame->location.function);
}

int
main (int argc, char **argv)
{
    g_autoptr (GError) error = NULL;
    g_autoptr (ProfileModel) model = NULL;
    ProfilePart part;
    gint64 unit_ns;

    g_assert_cmpint (argc, ==, 5);
    part = (ProfilePart){ atoll (argv[3]), atoll (argv[4]) };
    unit_ns = profile_part_get_unit_ns (&part);
    model = profile_part_read (argv[1], argv[2], &part, &error);
    if (model == NULL) {
        fprintf (stderr, "%s\n", error->message);
        return 1;
    }
    for (guint i = 0; i < profile_model_get_n_ranks (model); i++) {
        for (guint j = 0; j < profile_samples_get_n_threads (model, i); j++) {
            guint32 number;
            const GArray *samples = profile_samples_get (model, i, j, &number);

            for (guint k = 0; k < samples->len; k++) {
                const ProfileSample *sample = &g_array_index (samples, ProfileSample, k);
                gint64 end_ns = part.begin_ns + sample->time_us * unit_ns;

                printf ("%u\t%u\t%" G_GINT64_FORMAT "\t%" G_GINT64_FORMAT,
                        profile_model_get_rank (model, i), number,
                        end_ns - (gint64) sample->weight_us * unit_ns, end_ns);
                print_stack (model, profile_model_get_merged (model, i, sample->context));
                putchar ('\n');
            }
        }
    }
    return 0;
}
