/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Replaces an internal header that the packages of Open MPI 5 leave out; nothing of it is needed. */
#pragma once
