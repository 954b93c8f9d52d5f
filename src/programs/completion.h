/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pddt --print-completion SHELL. */
#pragma once

/* "bash" or "zsh"; caller frees. NULL: another shell. */
char *program_completion_format (const char *shell);
