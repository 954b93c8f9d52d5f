# SPDX-License-Identifier: GPL-3.0-or-later
"""The environment in which tests start MPI jobs: as root, and with more ranks than processors."""
import functools
import re
import shutil
import subprocess


@functools.cache
def has_prrte():
    """mpirun is that of Open MPI 5 or later."""
    said = subprocess.run(["mpirun", "--version"], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL).stdout \
        if shutil.which("mpirun") else ""
    found = re.search(r"Open MPI\) (\d+)", said)
    return found is not None and int(found[1]) >= 5


ENVIRONMENT = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",  # the same for Open MPI 5
}
if has_prrte():  # which complains of a machine without a network
    ENVIRONMENT["OMPI_MCA_btl"] = "self,sm"
