/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads, writes and waits, and says what it did. Argument: a folder for its files. Exit status 7. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;
static sem_t ready, waiting;
static char bytes[10000];
extern void omp_set_lock (void *) __attribute__ ((weak)); /* of no library here */

static void
check (const char *what, int is_right)
{
    if (!is_right) {
        printf ("wrong: %s: %s\n", what, strerror (errno));
    }
}

static void
work_with_files (const char *folder)
{
    char path[PATH_MAX];
    struct iovec parts[2] = { { bytes, 10 }, { bytes + 10, 20 } };
    FILE *stream;
    int fd;

    snprintf (path, sizeof path, "%s/plain", folder);
    fd = open (path, O_RDWR | O_CREAT | O_EXCL, 0640);
    check ("write", write (fd, bytes, 1000) == 1000 && pwrite (fd, bytes, 500, 4000) == 500
                        && writev (fd, parts, 2) == 30);
    check ("sync", fsync (fd) == 0 && fdatasync (fd) == 0);
    check ("read", pread (fd, bytes, 600, 4000) == 500 && lseek (fd, 0, SEEK_SET) == 0
                       && read (fd, bytes, 700) == 700 && readv (fd, parts, 2) == 30);
    check ("close", close (fd) == 0);
    errno = 0;
    check ("error", read (fd, bytes, 1) == -1 && errno == EBADF);
    check ("error", open (folder, O_WRONLY) == -1 && errno == EISDIR);
    snprintf (path, sizeof path, "%s/stream", folder);
    stream = fopen (path, "w");
    check ("stream", fwrite (bytes, 3, 100, stream) == 100 && fclose (stream) == 0);
    stream = fopen (path, "r");
    check ("stream",
           fread (bytes, 1, 1000, stream) == 300 && feof (stream) && fclose (stream) == 0);
    snprintf (path, sizeof path, "%s/text", folder);
    stream = fopen (path, "w+");
    check ("text", fprintf (stream, "%d %s\n", 17, "words") == 9
                       && fputs ("line\n", stream) >= 0 && fflush (stream) == 0);
    rewind (stream);
    check ("text", fgets (bytes, 100, stream) != NULL && strcmp (bytes, "17 words\n") == 0
                       && fgets (bytes, 3, stream) != NULL && strcmp (bytes, "li") == 0
                       && fclose (stream) == 0);
    errno = 0;
    stream = fmemopen (bytes, 100, "r");
    check ("memory", fread (bytes + 200, 1, 50, stream) == 50 && errno == 0);
    fclose (stream);
}

static void
work_with_sockets (void)
{
    int ends[2];

    check ("socket", socketpair (AF_UNIX, SOCK_STREAM, 0, ends) == 0
                         && write (ends[0], bytes, 9) == 9 && read (ends[1], bytes, 9) == 9);
    close (ends[0]);
    close (ends[1]);
}

/* Characters and scanf of a stream, the output of printf; and what is not recorded, files that are no files. */
static void
work_with_the_rest (const char *folder)
{
    char path[PATH_MAX], *mapped;
    FILE *stream;
    int fd, number = 0;

    snprintf (path, sizeof path, "%s/characters", folder);
    stream = fopen (path, "w+");
    check ("characters", putc ('4', stream) == '4' && fputc ('2', stream) == '2');
    rewind (stream);
    check ("characters", fscanf (stream, "%d", &number) == 1 && number == 42);
    rewind (stream);
    check ("characters", getc (stream) == '4' && fgetc (stream) == '2' && fclose (stream) == 0);
    check ("printf", printf ("printed\n") == 8 && fflush (stdout) == 0);
    fd = open ("/sys/devices/system/cpu/online", O_RDONLY);
    check ("sys", read (fd, bytes, 100) > 0 && close (fd) == 0);
    snprintf (path, sizeof path, "/pddt-native-calls-%d", (int) getpid ());
    fd = shm_open (path, O_RDWR | O_CREAT | O_EXCL, 0600);
    check ("shared memory",
           write (fd, bytes, 100) == 100 && shm_unlink (path) == 0 && close (fd) == 0);
    snprintf (path, sizeof path, "%s/mapped", folder);
    fd = open (path, O_RDWR | O_CREAT | O_EXCL, 0600);
    check ("mapped", ftruncate (fd, 4096) == 0);
    mapped = mmap (NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    check ("mapped", mapped != MAP_FAILED && close (fd) == 0);
    memset (mapped, 'm', 4096);
    check ("mapped", msync (mapped, 4096, MS_SYNC) == 0 && munmap (mapped, 4096) == 0);
}

/* In each way once; waiting for something, even with a limit, and not waiting are none. */
static void
sleep_in_turn (void)
{
    struct timespec little = { 0, 1000000 }, past = { 0, 0 };
    struct timeval limit = { 0, 1000 };
    struct pollfd none = { -1, 0, 0 };

    check ("sleep", nanosleep (&little, NULL) == 0 && sleep (1) == 0
                        && clock_nanosleep (CLOCK_MONOTONIC, 0, &little, NULL) == 0
                        && select (0, NULL, NULL, NULL, &limit) == 0 && poll (NULL, 0, 1) == 0);
    check ("no sleep", poll (&none, 1, 1) == 0 && poll (NULL, 0, 0) == 0);
    errno = 0;
    little.tv_nsec = -1;
    check ("sleep", nanosleep (&little, NULL) == -1 && errno == EINVAL
                        && clock_nanosleep (CLOCK_REALTIME, TIMER_ABSTIME, &past, NULL) == 0);
}

static void *
wait_for_locks (void *data)
{
    sem_post (&waiting);
    check ("lock", pthread_mutex_lock (&lock) == 0);
    pthread_mutex_unlock (&lock);
    check ("lock", pthread_rwlock_rdlock (&shared) == 0);
    pthread_rwlock_unlock (&shared);
    check ("semaphore", sem_wait (&ready) == 0);
    return NULL;
}

/* The other thread sleeps: it waits for what this one holds. */
static void
wait_until_blocked (int tid)
{
    char path[64], text[512] = "";
    long number = 0;

    snprintf (path, sizeof path, "/proc/self/task/%d/syscall", tid);
    do {
        FILE *stream = fopen (path, "r");

        if (stream != NULL) {
            text[0] = '\0';
            if (fgets (text, sizeof text, stream) != NULL && text[0] != 'r') {
                number = strtol (text, NULL, 10);
            }
            fclose (stream);
        }
        sched_yield ();
    } while (number != SYS_futex);
}

static int thread_tid;

static void *
begin_thread (void *data)
{
    __atomic_store_n (&thread_tid, (int) syscall (SYS_gettid), __ATOMIC_RELEASE);
    return wait_for_locks (data);
}

/* ---- locks that are not recorded ---- */

static pthread_spinlock_t spinning;
static int own_lock; /* 1: somebody has it */

static void *
wait_unseen (void *stream)
{
    __atomic_store_n (&thread_tid, (int) syscall (SYS_gettid), __ATOMIC_RELEASE);
    check ("spinning",
           pthread_spin_lock (&spinning) == 0 && pthread_spin_unlock (&spinning) == 0);
    while (__atomic_load_n (&own_lock, __ATOMIC_ACQUIRE) == 1) {
        syscall (SYS_futex, &own_lock, FUTEX_WAIT_PRIVATE, 1, NULL, NULL, 0);
    }
    sem_post (&waiting);
    check ("stream", fputs ("17", stream) >= 0); /* its lock is the C library's */
    return NULL;
}

/* Another thread waits for a lock that spins, for one that is a futex and no more, and for that of a stream. */
static void
work_with_other_locks (const char *folder)
{
    char path[PATH_MAX];
    pthread_t thread;
    FILE *stream;

    snprintf (path, sizeof path, "%s/locked", folder);
    stream = fopen (path, "w");
    pthread_spin_init (&spinning, PTHREAD_PROCESS_PRIVATE);
    sem_init (&waiting, 0, 0);
    own_lock = 1;
    __atomic_store_n (&thread_tid, 0, __ATOMIC_RELEASE);
    pthread_spin_lock (&spinning);
    flockfile (stream);
    pthread_create (&thread, NULL, wait_unseen, stream);
    while (__atomic_load_n (&thread_tid, __ATOMIC_ACQUIRE) == 0) {
        sched_yield ();
    }
    usleep (20000);
    pthread_spin_unlock (&spinning);
    wait_until_blocked (thread_tid);
    __atomic_store_n (&own_lock, 0, __ATOMIC_RELEASE);
    syscall (SYS_futex, &own_lock, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    sem_wait (&waiting);
    wait_until_blocked (thread_tid);
    funlockfile (stream);
    pthread_join (thread, NULL);
    check ("stream", fclose (stream) == 0);
}

static void
work_with_locks (void)
{
    pthread_mutexattr_t kind;
    pthread_mutex_t strict;
    pthread_t thread;
    int value = -1;

    sem_init (&ready, 0, 0);
    sem_init (&waiting, 0, 0);
    pthread_rwlock_wrlock (&shared);
    pthread_mutex_lock (&lock);
    pthread_create (&thread, NULL, begin_thread, NULL);
    sem_wait (&waiting);
    wait_until_blocked (__atomic_load_n (&thread_tid, __ATOMIC_ACQUIRE));
    pthread_mutex_unlock (&lock);
    pthread_rwlock_unlock (&shared);
    sem_post (&ready);
    pthread_join (thread, NULL);
    check ("semaphore", sem_getvalue (&ready, &value) == 0 && value == 0);
    pthread_mutexattr_init (&kind);
    pthread_mutexattr_settype (&kind, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init (&strict, &kind);
    check ("strict", pthread_mutex_lock (&strict) == 0
                         && pthread_mutex_lock (&strict) == EDEADLK
                         && pthread_mutex_unlock (&strict) == 0);
}

static void
work_in_child (const char *folder)
{
    char path[PATH_MAX];
    pid_t child = fork ();
    int status;

    if (child == 0) {
        int fd;

        snprintf (path, sizeof path, "%s/child", folder);
        fd = open (path, O_WRONLY | O_CREAT, 0600);
        check ("child", write (fd, bytes, 123) == 123);
        exit (0);
    }
    check ("child", waitpid (child, &status, 0) == child && status == 0);
}

int
main (int argc, char **argv)
{
    if (omp_set_lock != NULL) {
        omp_set_lock (bytes);
    }
    work_with_files (argv[1]);
    work_with_sockets ();
    sleep_in_turn ();
    work_with_locks ();
    work_with_the_rest (argv[1]);
    work_with_other_locks (argv[1]);
    work_in_child (argv[1]);
    check ("output", write (STDOUT_FILENO, "done\n", 5) == 5);
    return 7;
}
