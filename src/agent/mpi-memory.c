/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the recorder may read of the program's memory: what the process keeps, at once; other memory, if it can be read and
 * is no graphics card's. What such a card manages lies in the program's memory, too, and moves to the host, page by page,
 * when the host reads it: a look at a message would cost the program more than the message. */
#include "agent/mpi-fast.h"
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define NOWHERE UINT64_C (0xffff800000000000) /* the kernel's, which no process can read */
enum { MAX_PLAIN = 512, ASK_EACH = 64, KNOWN_MS = 1000, PAUSE_MS = 50 };

struct mpi_own mpi_own = { .heap_low = UINTPTR_MAX, .stack_low = UINTPTR_MAX };

/* Whether is_readable tells the truth: not under a kernel that looks at the request first. */
static int is_trusted;

/* To learn whether memory can be read, asks for an invalid change of the signal mask: the
 * kernel first reads the new mask (EFAULT: it cannot), then finds the request invalid (EINVAL).
 * This is ten times as fast as process_vm_readv. */
static int
is_readable (uintptr_t address)
{
    int kept = errno;
    int is_read = syscall (SYS_rt_sigprocmask, ~0, address & ~(uintptr_t) 7, NULL, 8) != 0
                  && errno == EINVAL;

    errno = kept;
    return is_read;
}

/* ---- a graphics card's ---- */

static struct {
    const char *device;
    int is_there; /* programs of this host may have such memory */
    unsigned n_asked;
    uintptr_t low[MAX_PLAIN], high[MAX_PLAIN]; /* none of it */
    unsigned n_plain;
    int64_t read_ms; /* when that was so; 0: never */
} card;

/* Its driver may be loaded as late as it is used first. */
static int
has_card (void)
{
    if (!card.is_there && card.n_asked++ % ASK_EACH == 0) {
        int kept = errno;

        card.is_there = access (card.device, F_OK) == 0;
        errno = kept;
    }
    return card.is_there;
}

static int64_t
get_ms (void)
{
    struct timespec now = { 0 };

    clock_gettime (CLOCK_MONOTONIC, &now);
    return (int64_t) now.tv_sec * 1000 + now.tv_nsec / 1000000 + 1;
}

static void
add_plain (uintptr_t low, uintptr_t high)
{
    if (card.n_plain > 0 && card.high[card.n_plain - 1] == low) {
        card.high[card.n_plain - 1] = high;
    } else if (card.n_plain < MAX_PLAIN) {
        card.low[card.n_plain] = low;
        card.high[card.n_plain++] = high;
    }
}

/* A line of /proc/self/maps, as far as it has been read. */
static void
take_line (const char *line)
{
    unsigned long low, high;
    int at = 0;

    if (sscanf (line, "%lx-%lx %*s %*s %*s %*s %n", &low, &high, &at) >= 2
        && (at == 0 || strcmp (line + at, card.device) != 0)) {
        add_plain (low, high);
    }
}

/* By itself: stdio would take the program's memory and locks in the middle of its run. */
static void
read_plain (void)
{
    static char text[8192];
    int fd = open ("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    size_t size = 0;
    ssize_t n;

    card.n_plain = 0;
    while (fd >= 0 && (n = read (fd, text + size, sizeof text - 1 - size)) > 0) {
        char *line = text, *end;

        size += (size_t) n;
        text[size] = '\0';
        while ((end = strchr (line, '\n')) != NULL) {
            *end = '\0';
            take_line (line);
            line = end + 1;
        }
        size -= (size_t) (line - text);
        memmove (text, line, size);
    }
    if (fd >= 0) {
        close (fd);
    }
}

static int
is_plain (uintptr_t first, uintptr_t last)
{
    unsigned from = 0, to = card.n_plain;

    while (from < to) {
        unsigned middle = (from + to) / 2;

        if (card.high[middle] <= first) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    return from < card.n_plain && card.low[from] <= first && last < card.high[from];
}

/* What is not known is looked up, but not all the time: then it counts as the card's. */
static int
may_be_cards (uintptr_t first, uintptr_t last)
{
    int64_t now = get_ms (), age = now - card.read_ms;

    if (card.read_ms == 0 || age >= KNOWN_MS || (!is_plain (first, last) && age >= PAUSE_MS)) {
        int kept = errno;

        read_plain ();
        card.read_ms = now;
        errno = kept;
    }
    return !is_plain (first, last);
}

/* ---- copies ---- */

static int
can_copy (uintptr_t first, uintptr_t last)
{
    return is_trusted && is_readable (first)
           && (first >> 12 == last >> 12 || is_readable (last));
}

int
mpi_copy (void *to, const void *from, size_t size)
{
    uintptr_t first = (uintptr_t) from, last = first + size - 1;

    if (!mpi_fast_is_own (first, size) && !can_copy (first, last)) {
        return 0;
    }
    memcpy (to, from, size);
    return 1;
}

int
mpi_copy_message (void *to, const void *from, size_t size)
{
    uintptr_t first = (uintptr_t) from, last = first + size - 1;

    return (mpi_fast_is_own (first, size) || !has_card () || !may_be_cards (first, last))
           && mpi_copy (to, from, size);
}

/* ---- the beginning ---- */

/* Takes only the first object, which is the program itself. */
static int
take_data (struct dl_phdr_info *info, size_t size, void *user)
{
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW (Phdr) *header = &info->dlpi_phdr[i];

        if (header->p_type == PT_LOAD && (header->p_flags & PF_W) != 0) {
            mpi_own.data_low = info->dlpi_addr + header->p_vaddr;
            mpi_own.data_high = mpi_own.data_low + header->p_memsz;
        }
    }
    return 1;
}

static void
find_own (void)
{
    FILE *maps = fopen ("/proc/self/maps", "re");
    char line[512];
    struct rlimit limit;
    unsigned long low, high;

    dl_iterate_phdr (take_data, NULL);
    while (maps != NULL && fgets (line, sizeof line, maps) != NULL) {
        if (sscanf (line, "%lx-%lx", &low, &high) != 2) {
            continue;
        }
        if (strstr (line, " [heap]\n") != NULL && &__curbrk != NULL) {
            mpi_own.heap_low = low;
        } else if (strstr (line, " [stack]\n") != NULL && getrlimit (RLIMIT_STACK, &limit) == 0
                   && limit.rlim_cur < high) {
            mpi_own.stack_low = high - limit.rlim_cur;
            mpi_own.stack_high = high;
        }
    }
    if (maps != NULL) {
        fclose (maps);
    }
}

void
mpi_memory_init (void)
{
    const char *device = getenv ("PDDT_UVM");

    card.device = device != NULL ? device : "/dev/nvidia-uvm";
    is_trusted = !is_readable ((uintptr_t) NOWHERE);
    find_own ();
}
