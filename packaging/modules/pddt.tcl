#%Module1.0
# SPDX-License-Identifier: GPL-3.0-or-later
# A module file for Environment Modules (Lmod reads it, too): set prefix to where `meson install` put pddt.
set prefix /opt/pddt/0.1.0
proc ModulesHelp { } {
    puts stderr "pddt debugs and measures all ranks of an MPI job at once. Start with: pddt mpirun -np 8 ./program"
}
module-whatis "parallel debugger and profiler for MPI programs in C, C++, Fortran and Python"
conflict pddt
prepend-path PATH $prefix/bin
prepend-path MANPATH $prefix/share/man
prepend-path XDG_DATA_DIRS $prefix/share
prepend-path CPATH $prefix/include
