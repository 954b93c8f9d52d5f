/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/balance.h"
#include "base/array.h"

#define NOTHING 0.05 /* of the work of the busiest rank: a rank with less did nothing */

double
profile_balance_get_work (const ProfileModel *model, guint index)
{
    static const JobClass classes[] = { JOB_CLASS_NATIVE, JOB_CLASS_PYTHON, JOB_CLASS_IO,
                                        JOB_CLASS_NETWORK, JOB_CLASS_ACCELERATOR };
    return BASE_SUM (double, i, G_N_ELEMENTS (classes),
                     profile_model_get_class (model, index, classes[i]))
           / profile_model_get_n_members (model, index);
}

static void
find_ends (ProfileBalance *balance, const ProfileModel *model)
{
    double sum = 0;

    for (guint i = 0; i < profile_model_get_n_ranks (model); i++) {
        double work = profile_balance_get_work (model, i);

        if (profile_model_is_child (model, i)) {
            continue;
        }
        if (balance->n_ranks == 0 || work > balance->most_s) {
            balance->most_s = work;
            balance->busiest = profile_model_get_rank (model, i);
        }
        if (balance->n_ranks == 0 || work < balance->least_s) {
            balance->least_s = work;
            balance->laziest = profile_model_get_rank (model, i);
        }
        sum += work * profile_model_get_n_members (model, i);
        balance->n_ranks += profile_model_get_n_members (model, i);
    }
    balance->mean_s = sum / MAX (balance->n_ranks, 1);
    balance->imbalance = sum > 0 ? balance->most_s / balance->mean_s - 1 : 0;
}

ProfileBalance *
profile_balance_new (const ProfileModel *model)
{
    ProfileBalance *balance = g_new0 (ProfileBalance, 1);

    balance->idle = job_rank_set_new ();
    find_ends (balance, model);
    for (guint i = 0; i < profile_model_get_n_ranks (model); i++) {
        if (!profile_model_is_child (model, i) && profile_model_get_duration (model, i) > 0
            && profile_balance_get_work (model, i) < NOTHING * balance->most_s) {
            profile_model_add_members (model, i, balance->idle);
        }
    }
    return balance;
}

BASE_FREE_PUBLIC (profile_balance_free, ProfileBalance, balance,
                  job_rank_set_free (balance->idle))
