/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once
#include "profile/page-blocks.h"
#include "profile/export/text.h"

/* Caller owns. */
char *profile_page_format_html (const ProfilePage *page);
char *profile_page_format_csv (const ProfilePage *page);
