-- SPDX-License-Identifier: GPL-3.0-or-later
-- A module file for Lmod: set prefix to where `meson install` put pddt.
help([[pddt debugs and measures all ranks of an MPI job at once. Start with: pddt mpirun -np 8 ./program]])
whatis("Name: pddt")
whatis("Version: 0.1.0")
whatis("Description: parallel debugger and profiler for MPI programs in C, C++, Fortran and Python")
conflict("pddt")
local prefix = "/opt/pddt/0.1.0"
prepend_path("PATH", pathJoin(prefix, "bin"))
prepend_path("MANPATH", pathJoin(prefix, "share/man"))
prepend_path("XDG_DATA_DIRS", pathJoin(prefix, "share"))
prepend_path("CPATH", pathJoin(prefix, "include"))
