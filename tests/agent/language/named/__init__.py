# SPDX-License-Identifier: GPL-3.0-or-later
from .work import solve, solve as renamed, Thing
