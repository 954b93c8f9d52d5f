/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/values.h"
#include "profile/private.h"

static void
clear_metric (gpointer data)
{
    ProfileOwnMetric *metric = data;

    g_free (metric->name);
    g_free (metric->unit);
    g_array_unref (metric->points);
}

static void
clear_parameter (gpointer data)
{
    ProfileParameter *parameter = data;

    g_free (parameter->name);
    g_free (parameter->value);
}

void
profile_values_init (ProfileModel *model)
{
    model->own_metrics = g_array_new (FALSE, FALSE, sizeof (ProfileOwnMetric));
    g_array_set_clear_func (model->own_metrics, clear_metric);
    model->parameters = g_array_new (FALSE, FALSE, sizeof (ProfileParameter));
    g_array_set_clear_func (model->parameters, clear_parameter);
}

void
profile_values_clear (ProfileModel *model)
{
    g_array_unref (model->own_metrics);
    g_array_unref (model->parameters);
}

void
profile_model_add_own_metric (ProfileModel *model, const ProfileOwnMetric *metric)
{
    ProfileOwnMetric copy = *metric;

    copy.name = g_strdup (metric->name);
    copy.unit = g_strdup (metric->unit);
    copy.points = g_array_ref (metric->points);
    g_array_append_val (model->own_metrics, copy);
}

void
profile_model_add_parameter (ProfileModel *model, const ProfileParameter *parameter)
{
    ProfileParameter copy = *parameter;

    copy.name = g_strdup (parameter->name);
    copy.value = g_strdup (parameter->value);
    g_array_append_val (model->parameters, copy);
}

const GArray *
profile_model_get_own_metrics (const ProfileModel *model)
{
    return model->own_metrics;
}

const GArray *
profile_model_get_parameters (const ProfileModel *model)
{
    return model->parameters;
}
