/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of the properties in which an archive of ours says what OTF2 has no field for. */
#pragma once
#include <otf2/otf2.h>

#define PROFILE_OTF2_NAME "traces"
#define PROFILE_OTF2_CREATOR "pddt"

/* of a calling context */
#define PROFILE_OTF2_CLASS "pddt::class"     /* of samples right there; job_class_get_name */
#define PROFILE_OTF2_BLOCKED "pddt::blocked" /* they waited in the kernel */
#define PROFILE_OTF2_UNREAD "pddt::unread"   /* their stack could not be read */
#define PROFILE_OTF2_FLAGS "pddt::flags"     /* JobFrameFlags */
#define PROFILE_OTF2_MODULE "pddt::module"
#define PROFILE_OTF2_OFFSET "pddt::offset"
#define PROFILE_OTF2_NAMELESS "pddt::nameless" /* the function is not known */
#define PROFILE_OTF2_LANGUAGE "pddt::language" /* job_language_get_name */
/* of a location group */
#define PROFILE_OTF2_RANK "pddt::rank"
#define PROFILE_OTF2_PARENT "pddt::parent" /* rank + 1 */
#define PROFILE_OTF2_PID "pddt::pid"
#define PROFILE_OTF2_PROGRAM "pddt::program"
#define PROFILE_OTF2_MISSED "pddt::missed"
/* of a location */
#define PROFILE_OTF2_THREAD "pddt::thread"
/* of the archive */
#define PROFILE_OTF2_COMMAND "PDDT::COMMAND"
#define PROFILE_OTF2_STATUS "PDDT::WAIT_STATUS"
#define PROFILE_OTF2_RATE "PDDT::RATE"
#define PROFILE_OTF2_BEGIN "PDDT::BEGIN_US"
#define PROFILE_OTF2_END "PDDT::END_US"
#define PROFILE_OTF2_REAL "PDDT::BEGIN_REAL_US"
