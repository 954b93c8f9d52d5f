/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/* Samples of each thread in a second, where nobody has said another number. */
#define PROFILE_RATE 100u
