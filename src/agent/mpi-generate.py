#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes the recorder's wrappers: mpi-generate.py LIST OUTPUT -IFOLDER…

Each call of the list gets its C function and its Fortran ones (mpi_x_, mpi_x__, mpi_x, MPI_X are
one function, mpi_x_f08_ another, whose last argument may be absent). Types come from mpi.h, roles
from the standard's names of parameters; in Fortran every argument is an address."""
import os
import re
import sys

# A parameter's name in mpi.h (in C, and for reading Fortran's arguments): its field of struct mpi_arguments.
ROLES = {
    "buf": "send.buffer", "ibuf": "send.buffer", "sendbuf": "send.buffer", "buffer": "send.buffer",
    "recvbuf": "receive.buffer", "count": "send.count", "sendcount": "send.count",
    "recvcount": "receive.count", "datatype": "send.type", "sendtype": "send.type",
    "recvtype": "receive.type", "dest": "send.peer", "source": "receive.peer",
    "tag": "send.tag", "sendtag": "send.tag", "recvtag": "receive.tag", "root": "root",
    "target_rank": "send.peer", "rank": "send.peer", "op": "op", "comm": "comm",
    "comm_old": "comm", "old_comm": "comm", "local_comm": "comm", "intercomm": "comm",
    "oldcomm": "comm", "win": "win",
    "peer_comm": "peer_comm", "bridge_comm": "peer_comm", "local_leader": "send.peer",
    "remote_leader": "receive.peer", "request": "requests", "array_of_requests": "requests",
    "requests": "requests",
    "incount": "n_requests", "status": "status", "array_of_statuses": "status",
    "statuses": "status",
    "flag": "flag", "completed": "flag", "index": "index", "indx": "index", "outcount": "outcount",
    "array_of_indices": "indices", "indices": "indices", "message": "message",
    "newcomm": "new_handle", "comm_cart": "new_handle", "comm_graph": "new_handle",
    "comm_dist_graph": "new_handle", "new_comm": "new_handle", "newintercomm": "new_handle",
    "newintracomm": "new_handle",
    "comm_name": "name", "name": "name", "provided": "provided", "errorcode": "root",
    "partitions": "partitions", "win_name": "name", "group": "group", "lock_type": "root",
}
# What a collective has for each member.
LISTED = {"sendcounts": "counts_sent", "recvcounts": "counts_received", "sendtypes": "types_sent",
          "recvtypes": "types_received"}
# MPI_Pready: one, from one to another, or a list.
READY = {"partition": "first_ready", "partition_low": "first_ready", "partition_high": "last_ready",
         "length": "n_ready", "array_of_partitions": "ready", "partition_list": "ready", "partitions": "ready"}
CONVERTED = {"MPI_Comm": "comm", "MPI_Datatype": "type", "MPI_Op": "op", "MPI_Win": "win",
             "MPI_Group": "group", "MPI_File": "file"}
GROUPED = ("Win_start", "Win_post", "Comm_create_group")
SINGLE_RECEIVE = {"recv", "irecv", "probe", "iprobe", "mrecv"}


def read_headers(folders):
    """The text of mpi.h and of the headers that MPICH has split off."""
    for folder in folders:
        if os.path.exists(os.path.join(folder, "mpi.h")):
            paths = [os.path.join(folder, name) for name in ("mpi.h", "mpi_proto.h", "mpio.h")]
            return "".join(open(p).read() for p in paths if os.path.exists(p))
    sys.exit("no mpi.h in " + " ".join(folders))


def read_prototypes(folders):
    text = re.sub(r"/\*.*?\*/", " ", read_headers(folders), flags=re.S)
    found = {}
    for match in re.finditer(r"\bint\s+MPI_(\w+)\s*\(([^;{}]*?)\)\s*[;_A-Z]", text, re.S):
        parameters = split_parameters(match.group(2))
        if parameters is not None:
            found.setdefault(match.group(1), parameters)
    return found


def split_parameters(text):
    """[(C type with %s in the place of the name, name)]"""
    result = []
    for part in re.split(r",(?![^(]*\))", " ".join(text.split())):
        part = part.strip()
        if part in ("void", ""):
            continue
        match = re.fullmatch(r"(.*?)(\w+)((?:\s*\[[^\]]*\])*)", part)
        if match is None:
            return None  # takes a pointer to a function: not one of the calls recorded
        before, name, after = match.groups()
        result.append((before.strip() + " %s" + after, name))
    return result


# One-sided operations: what they move is described by these two parameters; one element where the first is
# NULL.
MOVED = {
    "Put": ("origin_count", "origin_datatype"), "Rput": ("origin_count", "origin_datatype"),
    "Get": ("origin_count", "origin_datatype"), "Rget": ("origin_count", "origin_datatype"),
    "Accumulate": ("origin_count", "origin_datatype"), "Raccumulate": ("origin_count", "origin_datatype"),
    "Get_accumulate": ("result_count", "result_datatype"), "Rget_accumulate": ("result_count", "result_datatype"),
    "Fetch_and_op": (None, "datatype"), "Compare_and_swap": (None, "datatype"),
}


def is_pointer(kind):
    return "*" in kind or "[" in kind


def find_field(call, name, parameters):
    """The field that a parameter fills, or None."""
    how, names = call["how"], [n for _, n in parameters]
    if call["name"] in MOVED and name in MOVED[call["name"]]:
        return "moved_count" if name == MOVED[call["name"]][0] else "moved_type"
    if how == "wait" and name == "count":
        return "n_requests"
    if call["name"] in ("Alltoallv", "Ialltoallv") and name == "sendcounts" \
            and dict((n, k) for k, n in parameters)[name].startswith("const int "):
        return "send_counts"
    if how == "start" and name == "count":
        return "n_requests"
    if how == "pready" and name != "request":
        return "first_ready" if call["name"] == "Pready" else READY.get(name)  # whatever Open MPI 5 calls it
    if how == "collective" and name in LISTED and is_pointer(dict((n, k) for k, n in parameters)[name]):
        return LISTED[name]
    if call["name"] in ("Intercomm_merge", "Comm_spawn", "Comm_spawn_multiple") \
            and name in ("intercomm", "newintercomm", "newintracomm"):
        return "comm" if call["name"] == "Intercomm_merge" and name == "intercomm" \
            else "new_handle"
    if call["name"] in ("Comm_accept", "Comm_connect") and name == "newcomm":
        return "new_handle"
    if call["name"] == "Type_free":
        return "type"
    if how == "type_create":
        return "new_handle" if name in ("newtype", "new_type") else None
    if name == "group" and call["name"] not in GROUPED:
        return None
    if how in ("create_file", "file", "free_file") and name in ("fh", "filename"):
        return "name" if name == "filename" else "new_handle" if how == "create_file" else "file"
    if how in SINGLE_RECEIVE and name in ("buf", "count", "datatype", "source", "dest",
                                            "tag"):  # MPICH's MPI_Precv_init has a "dest"
        return {"dest": "receive.peer", "buf": "receive.buffer", "count": "receive.count", "datatype": "receive.type",
                "source": "receive.peer", "tag": "receive.tag"}[name]
    if call["name"].endswith("endrecv_replace") and name in ("buf", "count", "datatype"):
        return ROLES[name]
    if how == "create_window" and name == "win":
        return "new_handle"
    if call["name"] == "Reduce_scatter_block" and name == "recvcount" \
            or call["name"] == "Ireduce_scatter_block" and name == "recvcount":
        return "send.count"
    if how in ("window", "rwindow") and name in ("op", "comm", "datatype"):
        return None
    if how == "plain" and name == "flag" and call["kind"] == "POLL":
        return "flag"
    if how == "plain" or (how == "set_attr" and name != "comm"):
        return None
    if call["name"].startswith(("File_", "Grequest_")) and name not in ("comm", "request"):
        return None
    if call["name"] in ("Win_lock", "Win_unlock", "Win_flush", "Win_flush_local") \
            and name == "rank":
        return "send.peer"
    if name in ("rank", "name") and how not in ("window", "set_name"):
        return None
    if name == "root" and "ROOTED" not in call["flags"]:
        return None
    if "count" in name and is_pointer(dict((n, k) for k, n in parameters)[name]) \
            and name != "outcount":
        return None
    if name in ("sendtype", "recvtype") and names.count(name) \
            and is_pointer(dict((n, k) for k, n in parameters)[name]):
        return None
    return ROLES.get(name)


def read_list(path):
    calls = []
    for line in open(path):
        words = line.split("#")[0].split()
        if words:
            calls.append({"name": words[0], "how": words[1], "kind": words[2],
                          "flags": words[3].split(",") if len(words) > 3 else []})
    return calls


# Fields that the recorder depends on: a header with other parameter names is an error.
NEEDED = {
    "send": ["comm", "send.peer", "send.tag"], "recv": ["comm", "receive.peer", "receive.tag"],
    "sendrecv": ["comm", "send.peer", "receive.peer", "receive.tag"],
    "isend": ["comm", "send.peer", "send.tag", "requests"],
    "irecv": ["comm", "receive.peer", "receive.tag", "requests"], "start": ["requests"],
    "request_free": ["requests"], "cancel": ["requests"], "mrecv": ["message"],
    "probe": ["comm", "status"], "iprobe": ["comm", "flag", "status"],
    "wait": ["requests", "status"], "collective": ["comm"], "create": ["new_handle"],
    "create_group": ["comm", "new_handle", "send.tag"], "free": ["comm"],
    "create_inter": ["comm", "new_handle", "send.tag"], "set_name": ["name"],
    "isendrecv": ["comm", "send.peer", "receive.peer", "receive.tag", "requests"],
    "create_window": ["comm", "new_handle"], "free_window": ["win"], "rwindow": ["requests"],
    "create_file": ["comm", "new_handle", "name"], "file": ["file"], "free_file": ["file"],
    "type_create": ["new_handle"], "get_status": ["requests", "flag"], "pready": ["requests"],
}
NEEDED_BY_NAME = {
    "Waitany": ["index"], "Testany": ["index", "flag"], "Waitsome": ["outcount", "indices"],
    "Testsome": ["outcount", "indices"], "Test": ["flag"], "Testall": ["flag"],
    "Win_start": ["group"], "Win_post": ["group"], "Comm_create_group": ["group"],
    "Win_lock": ["root", "send.peer"], "Pready": ["first_ready"],
    "Pready_range": ["first_ready", "last_ready"], "Pready_list": ["n_ready", "ready"],
}
NEEDED_BY_NAME.update({name: ["send.peer", "moved_type"] + (["moved_count"] if pair[0] else [])
                       for name, pair in MOVED.items()})


def check_fields(call, parameters):
    found = {find_field(call, name, parameters) for _, name in parameters}
    missing = [f for f in NEEDED.get(call["how"], []) + NEEDED_BY_NAME.get(call["name"], [])
               if f not in found]
    if "NONBLOCKING" in call["flags"] and "requests" not in found:
        missing.append("requests")
    if missing:
        sys.exit(f"mpi.h's MPI_{call['name']} names its parameters otherwise: no {missing} in "
                 f"{[name for _, name in parameters]}")


def is_handle_out(kind):
    return bool(re.match(r"MPI_(Comm|Win|File|Datatype)\s*\*", kind))


def write_fill(call, parameters, names, fortran, described=False):
    """The statements that fill struct mpi_arguments; described: choice buffers are descriptors,
    whose first member is the address."""
    lines = []
    for (kind, name), variable in zip(parameters, names):
        field = find_field(call, name, parameters)
        if field is None or (field == "new_handle" and not is_handle_out(kind)):
            continue
        value = variable
        bare = kind.replace("%s", "").strip()
        if field == "requests" and not is_pointer(bare):  # Request_get_status (MPI_Request)
            value = f"(void *) {variable}" if fortran else f"(void *) &{variable}"
        elif fortran and not is_pointer(bare):
            width = bare if bare in ("MPI_Count", "MPI_Aint") else "MPI_Fint"
            value = f"*(const {width} *) {variable}"
            if bare in CONVERTED:
                value = f"mpi_{CONVERTED[bare]}_from_fortran ({value})"
        elif field == "comm" and is_pointer(bare):  # Comm_free (MPI_Comm *comm)
            value = f"mpi_comm_from_fortran (*(const MPI_Fint *) {variable})" if fortran \
                else f"{variable} != NULL ? *{variable} : (MPI_Comm) 0"
        elif field == "win" and is_pointer(bare):
            value = f"mpi_win_from_fortran (*(const MPI_Fint *) {variable})" if fortran \
                else f"{variable} != NULL ? *{variable} : (MPI_Win) 0"
        elif field == "file" and is_pointer(bare):  # File_close (MPI_File *)
            value = f"mpi_file_from_fortran (*(const MPI_Fint *) {variable})" if fortran \
                else f"{variable} != NULL ? *{variable} : (MPI_File) 0"
        elif field == "type":  # Type_free (MPI_Datatype *)
            value = f"mpi_type_from_fortran (*(const MPI_Fint *) {variable})" if fortran \
                else f"{variable} != NULL ? *{variable} : (MPI_Datatype) 0"
        elif field in ("send.buffer", "receive.buffer", "requests", "status", "flag", "index",
                       "outcount", "indices", "message", "new_handle", "provided", "name",
                       "send_counts", "ready", *LISTED.values()):
            value = f"(void *) {variable}"
            if described and field.endswith(".buffer"):
                value = f"*(void *const *) {variable}"
        lines.append(f"    arguments.{field} = {value};")
        if call["name"] == "Pready" and field == "first_ready":
            lines.append("    arguments.last_ready = arguments.first_ready;")
        if field == "send_counts":
            lines.append(f"    arguments.counts_sent = {value};")
        if field in ("counts_sent", "counts_received") and "MPI_Count" in kind:
            lines.append("    arguments.is_large = 1;")
        if call["name"] in ("Wait", "Test", "Start") and field == "requests":
            lines.append("    arguments.n_requests = 1;")
        if call["name"].endswith("endrecv_replace") and field in ("send.count", "send.type",
                                                           "send.buffer"):
            lines.append(f"    arguments.{field.replace('send', 'receive')} = arguments.{field};")
    if fortran:
        lines.append("    arguments.is_fortran = 1;")
    if any(name in ("comm_name", "win_name") for _, name in parameters) and fortran:
        lines.append("    arguments.name_size = length0;")
    if MOVED.get(call["name"], ("", ""))[0] is None:
        lines.append("    arguments.moved_count = 1;")
    if call["how"] in ("window", "free_window") and call["name"] != "Win_create" \
            and not any("arguments.send.peer" in line for line in lines):
        lines.append("    arguments.send.peer = MPI_PROC_NULL;")
    if call["name"].startswith("Test") or call["name"] in ("Win_test",):
        lines.append("    arguments.is_poll = 1;")
    if call["name"] in ("Mprobe", "Improbe"):
        lines.append("    arguments.is_matching = 1;")
    return lines


def write_begin(call, index):
    flags = " | ".join("PDDT_QUEUE_" + f for f in call["flags"]) or "0"
    return [f"    struct mpi_arguments arguments = {{ .call = {index}, "
            f".how = MPI_HOW_{call['how'].upper()},",
            f"                                      .kind = PDDT_QUEUE_{call['kind']}, "
            f".flags = {flags},",
            "                                      .caller = __builtin_return_address (0),",
            "                                      .frame = __builtin_frame_address (0) };"]


# Calls with a fast path (mpi-fast.h): the function before the call, its arguments by the parameters' names,
# the function after it, and its arguments.
MESSAGE = ["{kind}", "{flags}", "buf", "count", "datatype", "{peer}", "tag", "comm"]
FAST = {
    "send": ("message", MESSAGE, "sent", []),
    "recv": ("message", MESSAGE, "received", ["{status}"]),
    "isend": ("message", MESSAGE, "opened", ["PDDT_QUEUE_SEND", "{flags}", "request"]),
    "irecv": ("message", MESSAGE, "opened", ["PDDT_QUEUE_RECV", "{flags}", "request"]),
    "Wait": ("wait", ["request"], "waited", ["{status}"]),
    "Barrier": ("collective", ["{flags}", "0", "0", "0", "PDDT_QUEUE_NONE", "0", "0", "comm"],
                "collected", ["comm"]),
    "Bcast": ("collective", ["{flags}", "count", "datatype", "1", "root", "0", "0", "comm"],
              "collected", ["comm"]),
    "Reduce": ("collective", ["{flags}", "count", "datatype", "1", "root", "op", "1", "comm"],
               "collected", ["comm"]),
    "Allreduce": ("collective", ["{flags}", "count", "datatype", "1", "PDDT_QUEUE_NONE", "op", "1",
                                 "comm"], "collected", ["comm"]),
}


def find_fast(call, parameters):
    """[statement before, statement after] in C, or None."""
    row = FAST.get(call["name"]) or FAST.get(call["how"])
    if row is None or "PERSISTENT" in call["flags"] or "partitions" in dict(
            (n, k) for k, n in parameters):
        return None
    variables = {name: f"a{i}" for i, (_, name) in enumerate(parameters)}
    variables["buf"] = variables.get("buf") or variables.get("ibuf")
    variables["{peer}"] = variables.get("dest") or variables.get("source")
    variables["{kind}"] = "PDDT_QUEUE_" + call["kind"]
    variables["{status}"] = "status"
    variables["{flags}"] = " | ".join("PDDT_QUEUE_" + f for f in call["flags"]) or "0"
    return [f"mpi_fast_{row[0]} (%s)" % ", ".join(
                ["{index}", "__builtin_return_address (0)", "__builtin_frame_address (0)"]
                + [variables.get(n, n) for n in row[1]]),
            f"mpi_fast_{row[2]} (%s)" % ", ".join(
                ["thread", "result"] + [variables.get(n, n) for n in row[3]])]


def indent(lines):
    return ["    " + line if line else line for line in lines]


def write_c(call, index, parameters, suffix=""):
    name = "MPI_" + call["name"] + suffix
    names = [f"a{i}" for i in range(len(parameters))]
    declared = ", ".join(k % n for (k, _), n in zip(parameters, names)) or "void"
    types = ", ".join(k % "" for k, _ in parameters) or "void"
    passed = [("arguments.status" if find_field(call, p, parameters) == "status" else n)
              for (_, p), n in zip(parameters, names)]
    fast = find_fast(call, parameters)
    out = ["", "int", f"{name} ({declared})", "{",
           f"    static int (*real) ({types});", "    int result;"]
    status = [n for (_, p), n in zip(parameters, names) if p == "status"] if fast else []
    out += ["    struct pddt_queue_thread *thread;"] if fast else []
    out += ["    MPI_Status *status;"] if status else []
    out += ["", "    if (__builtin_expect (real == NULL, 0)) {",
            f"        real = (int (*) ({types})) mpi_find_next (\"{name}\");", "    }"]
    if fast:
        out += [f"    thread = {fast[0].replace('{index}', str(index))};",
                "    if (__builtin_expect (thread != NULL, 1)) {"]
        out += [f"        status = mpi_trace_lend ({status[0]});"] if status else []
        out += [f"        result = real ({', '.join('status' if n in status else n for n in names)});",
                f"        return {fast[1]};", "    }"]
    out += ["    {"] + indent(write_begin(call, index)) + [""]
    out += indent(write_fill(call, parameters, names, False))
    out += ["        mpi_enter (&arguments);", f"        result = real ({', '.join(passed)});",
            "        return mpi_leave (&arguments, result);", "    }", "}"]
    return out


def write_fortran(call, index, parameters, symbol, aliases, described=False):
    shown = [(k, n) for k, n in parameters if n not in ("argc", "argv") or call["how"] != "init"]
    names = [f"a{i}" for i in range(len(shown))]
    n_texts = sum(1 for k, _ in shown if re.search(r"\bchar\b", k))
    lengths = [f"length{i}" for i in range(n_texts)]
    declared = ", ".join([f"void *{n}" for n in names] + ["MPI_Fint *error"]
                         + [f"size_t {n}" for n in lengths])
    types = ", ".join(["void *"] * len(names) + ["MPI_Fint *"] + ["size_t"] * n_texts)
    passed = [("arguments.status" if find_field(call, p, shown) == "status" else n)
              for (_, p), n in zip(shown, names)] + ["&result"] + lengths
    out = ["", f"void {symbol} ({declared});"]
    out += [f"void {alias} ({declared}) __attribute__ ((alias (\"{symbol}\")));"
            for alias in aliases]
    out += ["void", f"{symbol} ({declared})", "{", f"    static void (*real) ({types});",
            "    MPI_Fint result = 0;"]
    out += write_begin(call, index)
    out += ["", "    if (__builtin_expect (real == NULL, 0)) {",
            f"        real = (void (*) ({types})) mpi_find_next (\"{symbol}\");", "    }"]
    out += write_fill(call, shown, names, True, described)
    out += ["    mpi_enter (&arguments);", f"    real ({', '.join(passed)});",
            "    mpi_leave (&arguments, result);", "    if (error != NULL) {",
            "        *error = result;", "    }", "}"]
    return out


def write_more(call, index, prototypes, low, is_mpich):
    """The wrappers for large counts, for C pointers and for described arrays."""
    parameters, large = prototypes[call["name"]], prototypes.get(call["name"] + "_c")
    has_choice = any(re.match(r"(const )?void \*", kind) for kind, _ in parameters)
    out = write_c(call, index, large, "_c") if large else []
    if call["name"] in ("Win_allocate", "Win_allocate_shared"):
        pointer = low + "_cptr"
        out += write_fortran(call, index, parameters, pointer + "_",
                             [pointer + "__", pointer, pointer.upper(),
                              f"MPI_{call['name']}_cptr_f08"])
    if is_mpich and has_choice:
        out += write_fortran(call, index, parameters, low + "_f08ts_", [], True)
    if is_mpich and large:
        out += write_fortran(call, index, large, low + "_f08_large_", [])
        out += write_fortran(call, index, large, low + "_f08ts_large_", [], True)
    return out


def main():
    is_mpich = "MPICH_VERSION" in read_headers([f[2:] for f in sys.argv[3:]])
    calls, prototypes = read_list(sys.argv[1]), read_prototypes([f[2:] for f in sys.argv[3:]])
    out = ["/* Made by mpi-generate.py from mpi-calls.list and mpi.h. */",
           '#include "agent/mpi-fast.h"', "",
           '__attribute__ ((visibility ("default"))) const struct pddt_queue_call '
           "pddt_mpi_calls[] = {", '    { "", 0, 0 },']
    known = [c for c in calls if c["name"] in prototypes]
    for call in known:
        flags = " | ".join("PDDT_QUEUE_" + f for f in call["flags"]) or "0"
        out.append(f'    {{ "MPI_{call["name"]}", PDDT_QUEUE_{call["kind"]}, {flags} }},')
    out += ['    { "", 0, 0 },', "};", "#pragma GCC visibility push(default)"]
    for index, call in enumerate(known, 1):
        parameters = prototypes[call["name"]]
        check_fields(call, parameters)
        low = "mpi_" + call["name"].lower()
        out += write_c(call, index, parameters)
        out += write_fortran(call, index, parameters, low + "_",
                             [low + "__", low, low.upper(), f"MPI_{call['name']}_f08"])
        out += write_fortran(call, index, parameters, low + "_f08_", [])
        out += write_more(call, index, prototypes, low, is_mpich)
    out.append("#pragma GCC visibility pop")
    open(sys.argv[2], "w").write("\n".join(out) + "\n")


main()
