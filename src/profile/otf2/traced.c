/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decoding an event costs more than what is done with it: messages and waits, files and locks share a pass. */
#include "profile/otf2/traced.h"
#include "profile/otf2/memory.h"
#include "profile/otf2/native.h"
#include "profile/otf2/own.h"
#include "profile/otf2/waits.h"

OTF2_Reader *
profile_otf2_open_events (const char *anchor, const ProfileOtf2Definitions *definitions)
{
    OTF2_Reader *reader = profile_otf2_open_reader (anchor, NULL);
    OTF2_GlobalDefReader *global = reader != NULL ? OTF2_Reader_GetGlobalDefReader (reader)
                                                  : NULL;
    uint64_t n_read = 0;

    if (global != NULL) {
        OTF2_Reader_ReadAllGlobalDefinitions (reader, global, &n_read);
        OTF2_Reader_CloseGlobalDefReader (reader, global);
    }
    for (guint i = 0; reader != NULL && i < definitions->locations->len; i++) {
        OTF2_Reader_SelectLocation (reader, g_array_index (definitions->locations,
                                                           ProfileOtf2Location, i)
                                                .self);
    }
    if (reader != NULL) {
        profile_otf2_read_locals (reader, definitions);
        if (OTF2_Reader_OpenEvtFiles (reader) == OTF2_SUCCESS) {
            return reader;
        }
        OTF2_Reader_Close (reader);
    }
    return NULL;
}

void
profile_otf2_close_events (OTF2_Reader *reader)
{
    OTF2_Reader_CloseEvtFiles (reader);
    OTF2_Reader_Close (reader);
}

void
profile_otf2_read_stream (OTF2_Reader *reader, const ProfileOtf2Location *location,
                          OTF2_EvtReaderCallbacks *callbacks, ProfileOtf2Streams *streams)
{
    OTF2_EvtReader *events = OTF2_Reader_GetEvtReader (reader, location->self);

    if (events != NULL) {
        OTF2_Reader_RegisterEvtCallbacks (reader, events, callbacks, streams);
        profile_otf2_read_all (reader, events, location);
        OTF2_Reader_CloseEvtReader (reader, events);
    }
}

/* ---- the pass ---- */

static OTF2_CallbackCode
on_enter (OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *user,
          OTF2_AttributeList *list, OTF2_RegionRef region)
{
    profile_otf2_waits_enter (location, time, position, user, list, region);
    return profile_otf2_native_enter (location, time, position, user, list, region);
}

static OTF2_CallbackCode
on_leave (OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *user,
          OTF2_AttributeList *list, OTF2_RegionRef region)
{
    profile_otf2_waits_leave (location, time, position, user, list, region);
    return profile_otf2_native_leave (location, time, position, user, list, region);
}

static void
read_events (const char *anchor, const ProfileOtf2Definitions *definitions,
             ProfileOtf2Waits *waits, ProfileOtf2Uses *native, ProfileOtf2Own *own)
{
    OTF2_Reader *reader = profile_otf2_open_events (anchor, definitions);
    OTF2_EvtReaderCallbacks *callbacks = OTF2_EvtReaderCallbacks_New ();

    if (waits != NULL) {
        OTF2_EvtReaderCallbacks_SetEnterCallback (callbacks, profile_otf2_waits_enter);
        OTF2_EvtReaderCallbacks_SetLeaveCallback (callbacks, profile_otf2_waits_leave);
        profile_otf2_waits_set_callbacks (callbacks);
    }
    if (native != NULL) {
        OTF2_EvtReaderCallbacks_SetEnterCallback (callbacks, waits != NULL
                                                                 ? on_enter
                                                                 : profile_otf2_native_enter);
        OTF2_EvtReaderCallbacks_SetLeaveCallback (callbacks, waits != NULL
                                                                 ? on_leave
                                                                 : profile_otf2_native_leave);
        profile_otf2_native_set_callbacks (callbacks);
    }
    if (own != NULL) {
        profile_otf2_own_set_callbacks (callbacks);
    }
    for (guint i = 0; reader != NULL && i < definitions->locations->len; i++) {
        ProfileOtf2Streams streams = { profile_otf2_waits_begin (waits, i),
                                       profile_otf2_native_begin (native, i),
                                       profile_otf2_own_begin (own, i) };

        profile_otf2_read_stream (reader,
                                  &g_array_index (definitions->locations, ProfileOtf2Location,
                                                  i),
                                  callbacks, &streams);
        profile_otf2_waits_end (streams.waits);
        profile_otf2_native_end (streams.native);
        profile_otf2_own_end (streams.own);
    }
    OTF2_EvtReaderCallbacks_Delete (callbacks);
    if (reader != NULL) {
        profile_otf2_close_events (reader);
    }
}

void
profile_otf2_read_traced (const char *anchor, ProfileSpool *to)
{
    OTF2_Reader *reader = profile_otf2_open_reader (anchor, NULL);
    ProfileOtf2Definitions *definitions;
    ProfileOtf2Waits *waits;
    ProfileOtf2Uses *native;
    ProfileOtf2Own *own;

    if (reader == NULL) {
        return;
    }
    definitions = profile_otf2_definitions_read (reader);
    OTF2_Reader_Close (reader);
    waits = profile_otf2_waits_new (anchor, definitions);
    native = profile_otf2_native_new_uses (anchor, definitions);
    own = profile_otf2_own_new (anchor, definitions);
    if (waits != NULL || native != NULL || own != NULL) {
        read_events (anchor, definitions, waits, native, own);
    }
    profile_otf2_own_put (own, to);
    profile_otf2_waits_put (waits, to);
    profile_otf2_native_put_uses (native, anchor, to);
    profile_otf2_memory_read (anchor, definitions, to);
    profile_otf2_definitions_free (definitions);
}
