# SPDX-License-Identifier: GPL-3.0-or-later
"""pddt in Spack: copy this folder to packages/pddt of a repository of your own, then
`spack install --no-checksum pddt`, in a folder that holds the tarball of `meson dist`."""
import os

from spack.package import *


class Pddt(MesonPackage):
    """Parallel debugger and profiler for MPI programs in C, C++, Fortran and Python."""

    manual_download = True
    url = f"file://{os.getcwd()}/pddt-0.1.0.tar.xz"

    license("GPL-3.0-or-later")

    version("0.1.0")  # of a tarball that you made: no checksum is known

    variant("gui", default=True, description="The windows (GTK 3); compute nodes do not need them")
    variant("otf2", default=True, description="Archives of --profile and --trace")
    variant("dap", default=True, description="pddt --dap for editors")
    variant("scripts", default=True, description="Python inside pddt")

    depends_on("c", type="build")
    depends_on("meson@0.64:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("gettext", type="build")
    depends_on("python@3.9:", type=("build", "run"))

    depends_on("mpi")
    depends_on("glib@2.68:")
    depends_on("libzmq@4.3:")
    depends_on("libsodium")
    depends_on("libdwarf")
    depends_on("libunwind")
    depends_on("capstone")
    depends_on("readline")
    depends_on("zlib-api")
    depends_on("zstd")
    depends_on("binutils+libiberty")
    depends_on("otf2", when="+otf2")
    depends_on("jansson@2.12:", when="+dap")
    depends_on("gtkplus@3.24:3", when="+gui")
    depends_on("gtksourceview@4", when="+gui")
    depends_on("vte", when="+gui")

    # Ranks are traced with ptrace, which is Linux's here; registers and instructions are those of x86-64.
    requires("platform=linux")
    requires("target=x86_64:")

    def meson_args(self):
        features = ("gui", "otf2", "dap", "scripts")
        return ["-Dtests=false"] + [f"-D{name}={'enabled' if f'+{name}' in self.spec else 'disabled'}" for name in features]
