# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits and times that the manual names are those of the code: neither is changed without the other. What happens at
them is for other tests, which manual-claims.txt names."""
import re

import source

MIB, GIB = 1 << 20, 1 << 30
US, SECOND_US = 1, 1_000_000
# page: (words of the manual, file, name, value)
LIMITS = {
    "doc/starting.md": [
        ("stacks of the first 100 stops", "src/command/record.c", "MAX_STOPS", 100),
        ("up to 200 more crashes", "src/command/record.c", "MAX_CRASHES", 200),
        ("32 KiB each", "src/command/record.c", "MAX_OUTPUT", 32 << 10),
    ],
    "doc/windows.md": [
        ("more than 4,096 ranks pddt reads only", "src/gui/values/value-pane.h", "GUI_VALUE_PANE_MAX_READ", 4096),
        ("not answered for 5 seconds", "src/net/liveness-private.h", "NET_SILENT_US", 5 * SECOND_US),
    ],
    "doc/languages.md": [
        ("up to 1 GB", "src/engine/inspect/inspect.h", "ENGINE_MAX_COMPARED", GIB),
        ("and 128 MB a frame", "src/engine/inspect/inspect.h", "ENGINE_MAX_COMPARED_LOCALS", 128 * MIB),
        ("keeps the last 200", "src/engine/inspect/kept.c", "MAX_SHOWN", 200),
        ("each up to 64 KiB", "src/evaluate/kept.c", "MAX_NOTED", 64 << 10),
        ("at most four lines below", "src/index/find.c", "MAX_ABOVE", 4),
        ("not returned after 2 seconds", "src/engine/inspect/native.c", "CALL_TIMEOUT_MS", 2000),
        ("at most 4,096 children", "src/engine/control/fork.c", "MAX_FOLLOWED", 4096),
    ],
    "doc/mpi.md": [
        ("allows it 2 s for each rank", "src/programs/pddt-queues.c", "LIMIT_MS", 2000),
        ("same MPI call for two seconds", "src/session/watch/hang.c", "STILL_US", 2 * SECOND_US),
        ("compared for up to 512 ranks", "src/agent/queue-layout.h", "PDDT_QUEUE_SHARES_OF_ALL", 512),
        ("a root for up to 16,384", "src/agent/queue-layout.h", "PDDT_QUEUE_SHARES_OF_ROOT", 16384),
        ("up to 128 neighbours", "src/analysis/uneven.c", "MAX_NEIGHBOURS", 128),
        ("their calls one to four times a second", "src/session/watch/collectives.c", "POLL_MS", 250),
    ],
    "doc/clusters.md": [
        ("From 64 hosts on", "src/net/groups.c", "STAR_HOSTS", 63),
        ("groups of 32", "src/net/groups.c", "FAN", 32),
        ("from 2,048 hosts on, of 64", "src/net/groups.c", "WIDE_FAN", 64),
        ("from 2,048 hosts on", "src/net/groups.c", "WIDE_FROM", 2048),
        ("wait for it, 12 s at most", "src/symbol/dispatcher.c", "WAIT_MS", 12000),
        ("after 10 minutes they act", "src/net/liveness-private.h", "NET_GIVE_UP_US", 600 * SECOND_US),
        ("keeps the first 8 MB", "src/daemon/daemon.c", "MAX_BACKLOG", 8 * MIB),
        ("after 10 s the guard detaches", "src/launch/watchdog.c", "GRACE_US", 10 * SECOND_US),
        ("fails after 20 s", "src/index/client.c", "TIMEOUT_S", 20),
        ("then on after at most 2 s", "src/index/client.c", "HUNG_MS", 2000),
        ("goes on without it after 150 ms", "src/engine/control/process.c", "UNINTERRUPTIBLE_US", 150_000),
        ("counts it as lost after 30 s", "src/net/liveness-private.h", "NET_LOST_US", 30 * SECOND_US),
        ("waits 20 s for its `--version`", "src/launch/version.c", "LIMIT_S", 20),
        ("it has 10 s before pddt kills", "src/launch/guard.c", "GRACE_US", 10 * SECOND_US),
        ("delays that by two minutes", "src/session/backend/tree.c", "ABORT_DELAY_S", 120),
        ("asleep 5 s after pddt has ended", "src/launch/sleepers.c", "AWAKE_S", 5),
        ("16 MB in memory", "src/command/out.c", "MEMORY", 16 * MIB),
    ],
    "doc/profiling.md": [
        ("1 to 1000", "src/engine/sampling/sampling.c", "MAX_RATE", 1000),
        ("Without it 100", "src/engine/sampling/sampling.c", "USUAL_RATE", 100),
        ("and 50 where a host", "src/engine/sampling/sampling.c", "CROWD_RATE", 50),
        ("has more than 16 ranks", "src/engine/sampling/sampling.c", "MANY_RANKS", 16),
        ("keeps at most 10,000 samples", "src/profile/model.h", "PROFILE_MAX_SAMPLES", 10000),
        ("keeps at most 500 records", "src/profile/model.h", "PROFILE_MAX_METRICS", 500),
        ("Ten times a second", "src/engine/sampling/sampling.c", "METRICS_US", 100_000),
        ("every two seconds and more often at first", "src/command/sampled-run.c", "ASK_EVERY", 2),
        ("Of each five seconds the answer", "src/profile/model/clock.c", "FIRST_STRETCH_US", 5 * SECOND_US),
        ("With more than 4,096 ranks", "src/command/profile.c", "SUM_ABOVE", 4096),
        ("at most 16 groups", "src/engine/sampling/sums.c", "MAX_GROUPS", 16),
        ("innermost 64 KiB of its stack", "src/engine/sampling/snapshot-private.h", "ENGINE_SAMPLING_COPY", 64 << 10),
    ],
    "doc/tracing.md": [
        ("A call takes 32 bytes in the spool", "src/agent/trace-layout.h", "sizeof (struct pddt_trace_event)", 16),
        ("each 64 KiB that a thread allocates", "src/agent/trace-blocks.c", "LEAST_INTERVAL", 64 << 10),
        ("later of up to 512 KiB", "src/agent/trace-blocks.c", "MOST_DOUBLED", 3),
        ("took at least 0.2 ms or came at least 0.2 ms", "src/agent/mpi-trace-private.h", "MPI_TRACE_LONG_NS", 200_000),
        ("with more than 16 ranks the pairs", "src/profile/report/waits.c", "MOST_RANKS", 16),
    ],
    "doc/performance.md": [
        ("with more than a million messages", "src/profile/messages.h", "PROFILE_MAX_MESSAGES", 1_000_000),
        ("at most 10,000 intervals", "src/profile/model.h", "PROFILE_MAX_SAMPLES", 10000),
        ("less than 5 % as long as the busiest", "src/profile/view/balance.c", "NOTHING", 0.05),
    ],
    "doc/pddt.1.md": [
        ("16777216 by default", "src/command/out.c", "MEMORY", 16 * MIB),
        ("2048 by default", "src/symbol/cache.c", "DEFAULT_LIMIT_MB", 2048),
    ],
    "doc/maintainers/zmtp.md": [
        ("1 KiB in the handshake", "src/net/curve.c", "MAX_INITIATE", 1 << 10),
        ("4 MiB from the front end", "src/net/leaf.c", "MAX_MESSAGE", 4 * MIB),
        ("64 KiB from an inner node", "src/net/branch.c", "MAX_MESSAGE", 64 << 10),
        ("64 MiB to an inner node", "src/net/inner.c", "MAX_MESSAGE", 64 * MIB),
        ("96 random bytes", "src/net/curve.c", "COOKIE_SIZE", 96),
        ("every 100 ms until", "src/net/wire.c", "RETRY_MS", 100),
    ],
    "doc/security.md": [
        ("more than 64 unauthenticated connections", "src/net/startups.c", "MANY", 64),
        ("nobody has used for 90 days", "src/symbol/cache.c", "MAX_AGE_S", 90 * 24 * 3600),
        ("oldest ones above 2 GB", "src/symbol/cache.c", "DEFAULT_LIMIT_MB", 2048),
    ],
}


def read_value(path, name):
    """Of a #define or of a member of an enum; None: it is not there."""
    text = (source.ROOT / path).read_text()
    name = re.escape(name)
    found = re.search(rf"#define {name} (.*?)(?:/\*.*)?$", text, re.M) or re.search(rf"\b{name} ==? ([^,}}]+)", text)
    if found is None:
        return None
    words = re.sub(r"G_GUINT64_CONSTANT|(?<=\d)u\b", "", found[1]).replace("G_USEC_PER_SEC", str(SECOND_US))
    return eval(words, {"__builtins__": {}}) if re.fullmatch(r"[\d\s.()*<]+", words) else None


def find_problems():
    for page, rows in LIMITS.items():
        text = " ".join((source.ROOT / page).read_text().split())
        for words, path, name, value in rows:
            if words not in text:
                yield f"{page}: does not say \"{words}\""
            found = read_value(path, name)
            if found != value:
                yield f"{page}: says \"{words}\"; {name} of {path} is {found}"


source.finish([*find_problems()])
