/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A library whose units and a program have equal names: which one is meant depends on the frame. */
#pragma once

void alike_stop (int local);
int alike_other (int local);
