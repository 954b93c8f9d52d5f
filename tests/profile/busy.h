/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

void many (long n); /* three times as long as the other one */
void few (long n);
