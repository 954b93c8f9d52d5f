/* SPDX-License-Identifier: GPL-3.0-or-later */
/* FILE SEED DEPTH: does what the seed says with processes, threads, signals, timers and memory, and writes down in FILE
 * what came of it, the same each time. "FILE leaf N" ends with N. */
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define STACK 65536

extern char **environ;
extern const char __executable_start[];
volatile long watched, turns;
static volatile sig_atomic_t n_user, n_trap, n_ticks, n_queued;
static volatile long queue_sum;
static uint64_t state;
static int out;
static char *self, *file;

static unsigned
draw (unsigned n)
{
    uint64_t z = state += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (unsigned) ((z ^ z >> 31) % n);
}

static void
say (const char *format, ...)
{
    char line[200];
    va_list arguments;
    int length;

    va_start (arguments, format);
    length = vsnprintf (line, sizeof line, format, arguments);
    va_end (arguments);
    if (write (out, line, (size_t) length) != length) {
        _exit (99);
    }
}

/* Callable by a debugger. */
int
twice (int n)
{
    return 2 * n;
}

long
work (long n)
{
    for (long i = 0; i < n; i++) {
        if (i % 3 == 0) {
            __atomic_fetch_add (&watched, 1, __ATOMIC_RELAXED);
        }
        turns++;
    }
    return watched;
}

static int
await (pid_t pid)
{
    int status = -1;

    while (pid > 0 && waitpid (pid, &status, __WALL) < 0 && errno == EINTR) {
    }
    return status;
}

/* Bytes of this program's code that are not those of its file, unless it is debugged as its parent is. */
static int
count_changed (void)
{
    const Elf64_Ehdr *header = (const Elf64_Ehdr *) __executable_start;
    const Elf64_Phdr *part = (const Elf64_Phdr *) (__executable_start + header->e_phoff);
    int fd = open ("/proc/self/exe", O_RDONLY | O_CLOEXEC), n = 0;
    unsigned char bytes[4096];

    for (int i = 0; i < header->e_phnum; i++) {
        for (size_t at = 0;
             part[i].p_type == PT_LOAD && (part[i].p_flags & PF_X) && at < part[i].p_filesz;) {
            const unsigned char *here = (const unsigned char *) __executable_start
                                        + part[i].p_vaddr + at;
            size_t size = part[i].p_filesz - at < sizeof bytes ? part[i].p_filesz - at
                                                               : sizeof bytes;

            size = (size_t) pread (fd, bytes, size, (off_t) (part[i].p_offset + at));
            for (size_t j = 0; j < size; j++) {
                n += bytes[j] != here[j];
            }
            at += size;
        }
    }
    close (fd);
    return getenv ("PDDT_FOLLOWED") == NULL ? n : 0;
}

static void
on_signal (int number, siginfo_t *info, void *context)
{
    ucontext_t *at = context;

    if (number == SIGUSR1) {
        __atomic_fetch_add (&n_user, 1, __ATOMIC_RELAXED);
    } else if (number == SIGTRAP) {
        n_trap++;
        at->uc_mcontext.gregs[REG_EFL] &= ~0x100;
    } else if (number == SIGALRM) {
        n_ticks++;
    } else {
        n_queued++;
        queue_sum = queue_sum * 7 % 1000003 + info->si_value.sival_int;
    }
}

static void
handle (int number)
{
    struct sigaction action = { .sa_sigaction = on_signal,
                                .sa_flags = SA_SIGINFO | SA_RESTART };

    sigaction (number, &action, NULL);
}

/* ---- what it can do ---- */

static void
execute (char **arguments)
{
    execve (self, arguments, environ);
    _exit (98);
}

static void
do_fork (void)
{
    int code = (int) draw (100);
    pid_t child = fork ();

    if (child == 0) {
        int n = count_changed ();

        work (2000);
        _exit (n == 0 ? code : 90);
    }
    say ("fork %x\n", await (child));
}

static void
do_vfork (void)
{
    int code = (int) draw (100), is_nested = draw (3) == 0;
    pid_t child = vfork ();

    if (child == 0) {
        if (is_nested && vfork () == 0) {
            _exit (1);
        }
        _exit (code);
    }
    say ("vfork %x\n", await (child));
}

static void
do_leaf (void)
{
    char number[16];
    char *arguments[] = { self, file, "leaf", number, NULL };
    unsigned how = draw (3);
    pid_t child = -1;

    snprintf (number, sizeof number, "%u", draw (100));
    if (how == 0) {
        posix_spawn (&child, self, NULL, NULL, arguments, environ);
    } else {
        child = how == 1 ? vfork () : fork ();
    }
    if (child == 0) {
        execute (arguments);
    }
    say ("leaf %u %x\n", how, await (child));
}

static int
run_shared (void *data)
{
    *(volatile int *) data += 5;
    return 3;
}

static void
do_clone (void)
{
    char *stack = mmap (NULL, STACK, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    int value = 1, flags = draw (2) ? CLONE_VM | SIGCHLD : CLONE_VM | CLONE_VFORK | SIGCHLD;
    pid_t child = clone (run_shared, stack + STACK - 64, flags, &value);
    int status = await (child);

    say ("clone %x %d\n", status, value);
    munmap (stack, STACK);
}

static void *
run_thread (void *data)
{
    unsigned long n = (unsigned long) data;

    work (500 + (long) n * 100);
    if (n % 3 == 0) {
        raise (SIGUSR1);
    }
    return data;
}

static void
do_threads (void)
{
    pthread_t threads[6];
    unsigned n = 1 + draw (6), made = 0;
    int before = n_user;
    unsigned long sum = 0;

    for (unsigned long i = 0; i < n; i++) {
        made += pthread_create (&threads[i], NULL, run_thread, (void *) i) == 0;
    }
    for (unsigned i = 0; i < made; i++) {
        void *value;

        pthread_join (threads[i], &value);
        sum += (unsigned long) value;
    }
    say ("threads %u %lu %d\n", made, sum, n_user - before);
}

static void
do_raise (void)
{
    int before = n_user;

    raise (SIGUSR1);
    say ("raise %d\n", n_user - before);
}

static void
do_trap (void)
{
    int before = n_trap;

    switch (draw (3)) {
    case 0: raise (SIGTRAP); break;
    case 1: __asm__ volatile("int3"); break;
    default:
        if (getenv ("PDDT_TRAP_FLAG") == NULL) { /* a step of its own: see test-random.c */
            raise (SIGTRAP);
            break;
        }
        __asm__ volatile(
            "sub $128, %%rsp\n\tpushfq\n\torq $0x100, (%%rsp)\n\tpopfq\n\tnop\n\tnop\n\tadd $128, %%rsp"
            :
            :
            : "memory", "cc");
    }
    say ("trap %d\n", n_trap - before);
}

static void
do_queue (void)
{
    int before = n_queued, n = 1 + (int) draw (24), number = SIGRTMIN + 2;
    sigset_t set, old;

    sigemptyset (&set);
    sigaddset (&set, number);
    sigprocmask (SIG_BLOCK, &set, &old);
    for (int i = 0; i < n; i++) {
        sigqueue (getpid (), number, (union sigval){ .sival_int = i + 1 });
    }
    work (1000);
    sigprocmask (SIG_SETMASK, &old, NULL);
    say ("queue %d %ld\n", n_queued - before, queue_sum);
}

static void
do_timer (void)
{
    struct itimerval timer = { { 0, 2000 }, { 0, 2000 } }, off = { { 0, 0 }, { 0, 0 } };
    int before = n_ticks;

    setitimer (ITIMER_REAL, &timer, NULL);
    while (n_ticks - before < 3) {
        turns++;
    }
    setitimer (ITIMER_REAL, &off, NULL);
    say ("timer\n");
}

static void
do_map (void)
{
    size_t size = (1 + draw (20)) * 4096u;
    char *memory = mmap (NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                         0);

    memset (memory, 3, size);
    mprotect (memory, size, draw (2) ? PROT_READ : PROT_READ | PROT_EXEC);
    say ("map %d\n", memory[size - 1]);
    munmap (memory, size);
}

static void
do_load (void)
{
    void *library = dlopen ("libm.so.6", RTLD_NOW | RTLD_LOCAL);
    double (*cosine) (double) = NULL;

    if (library != NULL) {
        *(void **) &cosine = dlsym (library, "cos");
    }
    say ("load %.3f\n", cosine != NULL ? cosine (1) : -1);
    if (library != NULL) {
        dlclose (library);
    }
}

static void
do_shell (void)
{
    FILE *pipe = popen ("echo one two | tr a-z A-Z", "re");
    char line[64] = "";

    if (pipe != NULL && fgets (line, sizeof line, pipe) == NULL) {
        line[0] = '\0';
    }
    say ("shell %x %s", pipe != NULL ? pclose (pipe) : -1, line);
}

static void
do_sleep (void)
{
    struct timespec left = { 0, 1000000 * (1 + draw (3)) };

    while (nanosleep (&left, &left) != 0 && errno == EINTR) {
    }
    say ("sleep\n");
}

/* A grandchild that outlives its parent. */
static void
do_orphan (void)
{
    int ends[2];
    char byte = '-';
    pid_t child;

    if (pipe2 (ends, O_CLOEXEC) != 0) {
        return;
    }
    child = fork ();
    if (child == 0) {
        if (fork () == 0) {
            char word = count_changed () == 0 ? 'o' : 'x';

            work (3000);
            _exit (write (ends[1], &word, 1) == 1 ? 0 : 1);
        }
        _exit (2);
    }
    close (ends[1]);
    child = await (child);
    while (read (ends[0], &byte, 1) < 0 && errno == EINTR) {
    }
    close (ends[0]);
    say ("orphan %x %c\n", child, byte);
}

static void
do_crash (void)
{
    static const int numbers[] = { SIGSEGV, SIGKILL, SIGTERM, SIGABRT, SIGILL };
    int number = numbers[draw (5)];
    pid_t child = fork ();

    if (child == 0) {
        struct rlimit none = { 0, 0 };

        setrlimit (RLIMIT_CORE, &none);
        raise (number);
        _exit (0);
    }
    say ("crash %x\n", await (child) & 0x7f);
}

static void
do_jump (void)
{
    static jmp_buf place;
    volatile int n = 0;

    if (setjmp (place) < 3) {
        n++;
        longjmp (place, n);
    }
    say ("jump %d\n", n);
}

/* The rest of the threads ends with the program. */
static void *
execute_leaf (void *data)
{
    execute (data);
    return NULL;
}

static void *
have_children (void *data)
{
    for (;;) {
        pid_t child = fork ();

        if (child == 0) {
            _exit (count_changed () == 0 ? 0 : 90);
        }
        await (child);
    }
    return NULL;
}

/* A child of threads, one of which executes a program while another one has children. */
static void
do_renew (void)
{
    char number[16];
    char *arguments[] = { self, file, "leaf", number, NULL };
    int is_first = (int) draw (2);
    pid_t child;

    snprintf (number, sizeof number, "%u", draw (100));
    child = fork ();
    if (child == 0) {
        pthread_t thread;

        if (pthread_create (&thread, NULL, have_children, NULL) != 0
            || (!is_first && pthread_create (&thread, NULL, execute_leaf, arguments) != 0)) {
            _exit (97);
        }
        work (3000);
        if (is_first) {
            execute (arguments);
        }
        for (;;) {
            pause ();
        }
    }
    say ("renew %d %x\n", is_first, await (child));
}

static void *
spawn_leaves (void *data)
{
    char number[16];
    char *arguments[] = { self, file, "leaf", number, NULL };
    long sum = 0;

    for (long i = 0; i < 3; i++) {
        pid_t child = -1;

        snprintf (number, sizeof number, "%ld", (long) data * 10 + i);
        posix_spawn (&child, self, NULL, NULL, arguments, environ);
        sum += WEXITSTATUS (await (child));
    }
    return (void *) sum;
}

/* More than one thread is in vfork. */
static void
do_spawns (void)
{
    pthread_t threads[3];
    unsigned made = 0, n = 2 + draw (2);
    long sum = 0;

    for (long i = 0; i < n; i++) {
        made += pthread_create (&threads[i], NULL, spawn_leaves, (void *) i) == 0;
    }
    for (unsigned i = 0; i < made; i++) {
        void *value;

        pthread_join (threads[i], &value);
        sum += (long) value;
    }
    say ("spawns %u %ld\n", made, sum);
}

/* It is stopped and goes on: SIGCONT comes again and again until it has. */
static void
do_halt (void)
{
    int ends[2], told[2];
    char byte = '-';
    pid_t child, own = getpid ();

    if (pipe2 (ends, O_CLOEXEC) != 0 || pipe2 (told, O_CLOEXEC) != 0) {
        return;
    }
    child = fork ();
    if (child == 0) {
        struct timespec moment = { 0, 2000000 };

        close (ends[1]);
        kill (own, SIGSTOP);
        close (told[1]);
        do {
            nanosleep (&moment, NULL);
            kill (own, SIGCONT);
        } while (fcntl (ends[0], F_SETFL, O_NONBLOCK) == 0 && read (ends[0], &byte, 1) < 0
                 && errno == EAGAIN);
        _exit (7);
    }
    close (ends[0]);
    close (told[1]);
    while (read (told[0], &byte, 1) < 0 && errno == EINTR) {
    }
    close (told[0]);
    close (ends[1]);
    say ("halt %x\n", await (child));
}

static void
do_exec (int depth)
{
    char seed[24], number[16];
    char *arguments[] = { self, file, seed, number, NULL };

    if (depth <= 0) {
        return;
    }
    snprintf (seed, sizeof seed, "%u", draw (1000000));
    snprintf (number, sizeof number, "%d", depth - 1);
    say ("exec %s\n", seed);
    execute (arguments);
}

static void (*const deeds[]) (void) = { do_fork,  do_vfork, do_leaf,   do_clone,  do_threads,
                                        do_raise, do_trap,  do_queue,  do_timer,  do_map,
                                        do_load,  do_shell, do_sleep,  do_orphan, do_crash,
                                        do_jump,  do_renew, do_spawns, do_halt };

static int
end (void)
{
    struct rlimit none = { 0, 0 };
    static const int numbers[] = { SIGTERM, SIGSEGV, SIGABRT, SIGTRAP };

    say ("end %ld\n", watched % 1000);
    if (draw (4) == 0) {
        int number = numbers[draw (4)];

        setrlimit (RLIMIT_CORE, &none);
        signal (number, SIG_DFL);
        raise (number);
    }
    return (int) draw (60);
}

int
main (int argc, char **argv)
{
    unsigned n;

    if (argc < 4) {
        return 97;
    }
    self = argv[0];
    file = argv[1];
    if (strcmp (argv[2], "leaf") == 0) {
        work (1000);
        return atoi (argv[3]);
    }
    out = open (file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    state = strtoull (argv[2], NULL, 10) * 1000003u;
    handle (SIGUSR1);
    handle (SIGTRAP);
    handle (SIGALRM);
    handle (SIGRTMIN + 2);
    n = 4 + draw (10);
    for (unsigned i = 0; i < n; i++) {
        work (1000 + (long) draw (5) * 3000);
        if (draw (12) == 0) {
            do_exec (atoi (argv[3]));
        }
        deeds[draw (sizeof deeds / sizeof deeds[0])]();
    }
    return end ();
}
