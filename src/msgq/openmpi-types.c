/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The types that Open MPI's message queue library asks for, as debug information: for the Open
 * MPI that pddt is built with, if its packages have the internal headers but no debug
 * information. Never run; its file is named by that library's build-id and used for no
 * other. */
#include "ompi_config.h"
#include "ompi/communicator/communicator.h"
#include "ompi/datatype/ompi_datatype.h"
#include "ompi/group/group.h"
#include "ompi/mca/pml/base/pml_base_recvreq.h"
#include "ompi/mca/pml/base/pml_base_request.h"
#include "ompi/mca/pml/base/pml_base_sendreq.h"
#include "ompi/mca/topo/topo.h"
#include "ompi/request/request.h"
#include "opal/class/opal_free_list.h"
#include "opal/class/opal_hash_table.h"
#include "opal/class/opal_list.h"
#include "opal/class/opal_pointer_array.h"
