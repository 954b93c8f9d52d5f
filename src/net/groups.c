/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The shape of the tree: from 64 hosts on, groups of 32 (from the 2,048th host of 64) whose
 * first host merges the others' events. Requests and heartbeats stay on the star. A group in
 * which anything goes wrong goes back to the star as a whole: each member learns which of its
 * packets arrived and resends the rest, and the epoch identifies late packets of the inner
 * node, which are refused. So nothing is lost or duplicated. */
#include "net/events-private.h"
#include "net/root-private.h"
#include "base/array.h"

#define STAR_HOSTS 63 /* most hosts without a tree */
#define FAN 32
#define WIDE_FAN 64
#define WIDE_FROM 2048 /* hosts */
#define SETTLE_MS 300
#define MAX_FAILURES 5
#define MAX_BREAKS 3 /* of one host: it probably cannot reach the others */
#define MAX_WAITS 3  /* ticks: it always answers within 0.1 s, even without events */

BASE_FREE (free_group, NetGroup, group, g_free (group->endpoint))

void
net_groups_init (NetRoot *root)
{
    root->groups = g_ptr_array_new_with_free_func (free_group);
}

void
net_groups_clear (NetRoot *root)
{
    g_clear_handle_id (&root->form_source, g_source_remove);
    g_clear_pointer (&root->groups, g_ptr_array_unref);
}

static guint
get_group_index (guint host)
{
    return host < WIDE_FROM ? host / FAN : WIDE_FROM / FAN + (host - WIDE_FROM) / WIDE_FAN;
}

static NetGroup *
find_group (const NetRoot *root, const NetHost *host)
{
    guint index = get_group_index (host->index);
    return index < root->groups->len ? root->groups->pdata[index] : NULL;
}

static void
add_groups (NetRoot *root)
{
    for (guint first = 0; first < root->hosts->len;) {
        guint fan = first < WIDE_FROM ? FAN : WIDE_FAN;
        if (get_group_index (first) == root->groups->len) {
            NetGroup *group = g_new0 (NetGroup, 1);
            group->first = first;
            group->end = first + fan;
            g_ptr_array_add (root->groups, group);
        }
        first += fan;
    }
}

static void
name_leader (NetRoot *root, const NetGroup *group, NetHost *host)
{
    if (host != group->leader && host->state == NET_HOST_HERE && host->n_breaks < MAX_BREAKS
        && host->epoch != group->epoch) {
        host->epoch = group->epoch;
        net_root_send_to (root, host, NET_TREE,
                          g_variant_new ("(tst)", group->epoch, group->endpoint, (guint64) 0));
    }
}

static void
name_leader_to_all (NetRoot *root, const NetGroup *group)
{
    for (guint i = group->first; i < MIN (group->end, root->hosts->len); i++) {
        name_leader (root, group, root->hosts->pdata[i]);
    }
}

static void
choose_leader (NetRoot *root, NetGroup *group)
{
    NetHost *leader = NULL;
    guint n_here = 0;
    for (guint i = group->first; i < MIN (group->end, root->hosts->len); i++) {
        NetHost *host = root->hosts->pdata[i];
        gboolean can_lead = host->state == NET_HOST_HERE && !host->cannot_lead
                            && host->n_breaks < MAX_BREAKS;
        n_here += host->state == NET_HOST_HERE;
        leader = leader ? leader : can_lead ? host : NULL;
    }
    if (leader && n_here > 1 && group->n_failures < MAX_FAILURES) {
        group->leader = leader;
        group->epoch = ++root->last_epoch;
        net_root_send_to (root, leader, NET_LEAD, g_variant_new ("(t)", group->epoch));
    }
}

static gboolean
on_form (gpointer user)
{
    NetRoot *root = user;
    guint n_here = 0;
    root->form_source = 0;
    for (guint i = 0; i < root->hosts->len; i++) {
        n_here += ((NetHost *) root->hosts->pdata[i])->state == NET_HOST_HERE;
    }
    if (n_here <= STAR_HOSTS || root->ended) {
        return G_SOURCE_REMOVE;
    }
    add_groups (root);
    BASE_EACH (root->groups, NetGroup, group) {
        if (!group->leader) {
            choose_leader (root, group);
        } else if (group->endpoint) {
            name_leader_to_all (root, group);
        }
    }
    return G_SOURCE_REMOVE;
}

void
net_groups_schedule (NetRoot *root)
{
    if (root->hosts->len > STAR_HOSTS) {
        g_clear_handle_id (&root->form_source, g_source_remove);
        root->form_source = g_timeout_add (SETTLE_MS, on_form, root);
    }
}

static void
dissolve (NetRoot *root, NetGroup *group)
{
    for (guint i = group->first; i < MIN (group->end, root->hosts->len); i++) {
        NetHost *host = root->hosts->pdata[i];
        if (host->epoch != 0 || host == group->leader) {
            host->epoch = 0;
            host->is_on_tree = FALSE;
            net_root_send_to (root, host, NET_TREE,
                              g_variant_new ("(tst)", (guint64) 0, "", host->n_events));
        }
    }
    group->leader = NULL;
    group->epoch = 0;
    group->n_waits = 0;
    group->n_failures++;
    g_clear_pointer (&group->endpoint, g_free);
    net_groups_schedule (root);
}

void
net_groups_leave (NetRoot *root, NetHost *host)
{
    NetGroup *group = find_group (root, host);
    if (group && group->leader == host) {
        dissolve (root, group);
    }
}

static void
apply_leading (NetRoot *root, NetGroup *group, NetHost *host, GVariant *body)
{
    guint64 epoch;
    const char *endpoint;
    g_variant_get (body, "(t&s)", &epoch, &endpoint);
    if (group->leader != host || group->epoch != epoch || group->endpoint) {
        return;
    }
    if (*endpoint == '\0') {
        host->cannot_lead = TRUE;
        dissolve (root, group);
        return;
    }
    group->endpoint = g_strdup (endpoint);
    host->is_on_tree = TRUE;
    name_leader_to_all (root, group);
}

static void
apply_switch (NetRoot *root, NetGroup *group, NetHost *host, GVariant *body)
{
    guint64 epoch;
    gboolean is_broken;
    g_variant_get (body, "(tb)", &epoch, &is_broken);
    if (!group->leader || group->epoch != epoch || host->epoch != epoch) {
        return; /* of a former epoch: it has been notified */
    }
    if (is_broken) {
        host->n_breaks++;
        dissolve (root, group);
    } else {
        host->is_on_tree = TRUE;
        net_root_send_to (root, host, NET_SWITCH, g_variant_new ("(tb)", epoch, FALSE));
    }
}

/* Adds the members whose packets the body contains; FALSE when a packet is not its member's
 * next. */
static gboolean
check_covers (NetRoot *root, const NetGroup *group, GVariant *covers, NetSpeaker *speaker)
{
    gsize n = g_variant_n_children (covers);
    for (gsize i = 0; i < n; i++) {
        guint32 base;
        guint64 first, last;
        g_variant_get_child (covers, i, "(utt)", &base, &first, &last);
        guint index = base / NET_BLOCK_SLOTS;
        const NetHost *host = index < root->blocks->len ? root->blocks->pdata[index] : NULL;
        if (!host || host->base != base || host->index < group->first
            || host->index >= group->end || first != host->n_events + 1 || last < first) {
            return FALSE;
        }
        net_speaker_add (speaker, &host->speaker);
    }
    return TRUE;
}

static void
note_covers (NetRoot *root, GVariant *covers)
{
    gsize n = g_variant_n_children (covers);
    for (gsize i = 0; i < n; i++) {
        guint32 base;
        guint64 first, last;
        g_variant_get_child (covers, i, "(utt)", &base, &first, &last);
        ((NetHost *) root->blocks->pdata[base / NET_BLOCK_SLOTS])->n_events = last;
    }
}

/* Slots that reported through the tree. */
static void
note_slots (NetRoot *root, guint first_event)
{
    for (guint i = first_event; i < root->batch->len; i++) {
        const JobEvent *event = root->batch->pdata[i];
        for (guint j = 0;
             job_event_get_processes (event) && j < job_event_get_processes (event)->len; j++) {
            guint32 slot = JOB_PROCESS (job_event_get_processes (event), j)->slot;
            NetHost *host = slot / NET_BLOCK_SLOTS < root->blocks->len
                                ? root->blocks->pdata[slot / NET_BLOCK_SLOTS]
                                : NULL;
            if (host) {
                job_rank_set_add (host->speaker.reported, slot);
            }
        }
    }
}

static void
apply_merged (NetRoot *root, NetGroup *group, NetHost *host, GVariant *body)
{
    g_autoptr (GVariant) covers = g_variant_get_child_value (body, 1);
    g_autoptr (GVariant) list = g_variant_get_child_value (body, 2);
    guint64 epoch;
    g_variant_get_child (body, 0, "t", &epoch);
    if (group->leader != host || group->epoch != epoch) {
        return; /* its members have resent it on the star */
    }
    NetSpeaker speaker;
    guint first = root->batch->len;
    net_speaker_init_group (&speaker);
    if (check_covers (root, group, covers, &speaker)) {
        group->n_waits = 0;
        note_covers (root, covers);
        root->batch_bytes += net_events_take (list, &speaker, host->name, root->batch);
        note_slots (root, first);
    } else {
        dissolve (root, group);
    }
    net_speaker_clear (&speaker);
}

void
net_groups_apply (NetRoot *root, NetHost *host, NetPacket *packet)
{
    NetGroup *group = find_group (root, host);
    if (!group) {
        return;
    }
    if (packet->type == NET_LEADING) {
        apply_leading (root, group, host, packet->body);
    } else if (packet->type == NET_SWITCH) {
        apply_switch (root, group, host, packet->body);
    } else if (packet->type == NET_MERGED) {
        apply_merged (root, group, host, packet->body);
    }
}

void
net_groups_announce (NetRoot *root, GPtrArray *hosts, guint64 request)
{
    g_autofree guint *counts = g_new0 (guint, root->groups->len + 1);
    BASE_EACH (hosts, const NetHost, host) {
        if (host->is_on_tree) {
            counts[get_group_index (host->index)]++;
        }
    }
    for (guint i = 0; i < root->groups->len; i++) {
        NetGroup *group = root->groups->pdata[i];
        if (counts[i] > 1 && group->leader) {
            net_root_send_to (root, group->leader, NET_ASKED,
                              g_variant_new ("(tu)", request, counts[i]));
            group->n_waits = MAX (group->n_waits, 1);
        }
    }
}

void
net_groups_tick (NetRoot *root)
{
    BASE_EACH (root->groups, NetGroup, group) {
        if (group->leader && group->n_waits > 0 && ++group->n_waits > MAX_WAITS) {
            group->leader->cannot_lead = TRUE;
            dissolve (root, group);
        }
    }
}
