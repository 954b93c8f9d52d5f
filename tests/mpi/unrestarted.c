/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ranks wait for each other, which looks like a deadlock, while threads of theirs sleep in calls that Linux does
 * not restart after a stop (signal(7)); each begins its call again after an EINTR and counts that. At the end of
 * the time (argument 1, s) a thread of each sends what the other waits for. Prints how many calls were
 * interrupted. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <linux/aio_abi.h>
#include <mpi.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define UNUSED_SIGNAL SIGUSR2

static double end;
static int rank, n_interrupted, never, silent[2];

static long
get_left_ms (void)
{
    double left = end - MPI_Wtime ();

    return left > 0 ? (long) (left * 1000) + 1 : 0;
}

static struct timespec
get_left (void)
{
    long ms = get_left_ms ();

    return (struct timespec){ ms / 1000, ms % 1000 * 1000000 };
}

static sigset_t
get_signal (void)
{
    sigset_t set;

    sigemptyset (&set);
    sigaddset (&set, UNUSED_SIGNAL);
    return set;
}

static int
make_epoll (void)
{
    int epoll = epoll_create1 (0);
    struct epoll_event event = { .events = EPOLLIN };

    epoll_ctl (epoll, EPOLL_CTL_ADD, never, &event);
    return epoll;
}

static int
in_epoll_wait (void)
{
    struct epoll_event event;

    return epoll_wait (make_epoll (), &event, 1, (int) get_left_ms ());
}

static int
in_epoll_pwait (void)
{
    struct epoll_event event;
    sigset_t none;

    sigemptyset (&none);
    return epoll_pwait (make_epoll (), &event, 1, (int) get_left_ms (), &none);
}

static int
in_poll (void)
{
    struct pollfd fd = { .fd = never, .events = POLLIN };

    return poll (&fd, 1, (int) get_left_ms ());
}

static int
in_ppoll (void)
{
    struct pollfd fd = { .fd = never, .events = POLLIN };
    struct timespec left = get_left ();

    return ppoll (&fd, 1, &left, NULL);
}

static int
in_select (void)
{
    long ms = get_left_ms ();
    struct timeval left = { ms / 1000, ms % 1000 * 1000 };
    fd_set set;

    FD_ZERO (&set);
    FD_SET (never, &set);
    return select (never + 1, &set, NULL, NULL, &left);
}

static int
in_pselect (void)
{
    struct timespec left = get_left ();
    fd_set set;

    FD_ZERO (&set);
    FD_SET (never, &set);
    return pselect (never + 1, &set, NULL, NULL, &left, NULL);
}

static int
in_sigtimedwait (void)
{
    struct timespec left = get_left ();
    sigset_t set = get_signal ();

    return sigtimedwait (&set, NULL, &left);
}

static int
in_nanosleep (void)
{
    struct timespec left = get_left ();

    return nanosleep (&left, NULL);
}

static int
in_clock_nanosleep (void)
{
    struct timespec left = get_left ();

    errno = clock_nanosleep (CLOCK_MONOTONIC, 0, &left, NULL);
    return errno != 0 ? -1 : 0;
}

static int
in_semtimedop (void)
{
    struct timespec left = get_left ();
    int id = semget (IPC_PRIVATE, 1, 0600), result;
    struct sembuf take = { .sem_op = -1 };

    result = semtimedop (id, &take, 1, &left);
    semctl (id, 0, IPC_RMID);
    return result;
}

/* Another thread takes the queue away at the end. */
static int queue;

static int
in_msgrcv (void)
{
    struct {
        long type;
        char text[8];
    } message;

    return (int) msgrcv (queue, &message, sizeof message.text, 0, 0);
}

static int
in_recv (int flags)
{
    long ms = get_left_ms ();
    struct timeval left = { ms / 1000, ms % 1000 * 1000 + 1 };
    char byte;

    setsockopt (silent[0], SOL_SOCKET, SO_RCVTIMEO, &left, sizeof left);
    return (int) recv (silent[0], &byte, 1, flags);
}

static int
in_recv_timeout (void)
{
    return in_recv (0);
}

static int
in_recv_peek (void)
{
    return in_recv (MSG_PEEK);
}

static int
in_accept (void)
{
    long ms = get_left_ms ();
    struct timeval left = { ms / 1000, ms % 1000 * 1000 + 1 };
    struct sockaddr_un name = { .sun_family = AF_UNIX };
    int listener = socket (AF_UNIX, SOCK_STREAM, 0), result;

    bind (listener, (struct sockaddr *) &name,
          sizeof (sa_family_t)); /* a name of the kernel's choice */
    listen (listener, 1);
    setsockopt (listener, SOL_SOCKET, SO_RCVTIMEO, &left, sizeof left);
    result = accept (listener, NULL, NULL);
    close (listener);
    return result;
}

static int
in_io_getevents (void)
{
    struct timespec left = get_left ();
    aio_context_t context = 0;
    struct io_event event;
    long result = syscall (SYS_io_setup, 1, &context);

    if (result == 0) {
        result = syscall (SYS_io_getevents, context, 1, 1, &event, &left);
        syscall (SYS_io_destroy, context);
    }
    return (int) result;
}

static int (*const calls[]) (void) = { in_epoll_wait,      in_epoll_pwait,  in_poll,
                                       in_ppoll,           in_select,       in_pselect,
                                       in_sigtimedwait,    in_nanosleep,    in_recv_peek,
                                       in_accept,          in_recv_timeout, in_io_getevents,
                                       in_clock_nanosleep, in_semtimedop,   in_msgrcv };
#define N_CALLS (sizeof calls / sizeof *calls)

static void *
begin (void *data)
{
    int (*const *call) (void) = data;

    while (get_left_ms () > 0 && (*call) () < 0 && errno == EINTR) {
        __atomic_add_fetch (&n_interrupted, 1, __ATOMIC_RELAXED);
    }
    return NULL;
}

static void *
send_late (void *data)
{
    in_nanosleep ();
    msgctl (queue, IPC_RMID, NULL);
    MPI_Send (&rank, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD);
    return data;
}

int
main (int argc, char **argv)
{
    pthread_t threads[N_CALLS], sender;
    sigset_t set = get_signal ();
    int provided, value;

    MPI_Init_thread (&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank (MPI_COMM_WORLD, &rank);
    sigprocmask (SIG_BLOCK, &set, NULL);
    end = MPI_Wtime () + (argc > 1 ? atof (argv[1]) : 5);
    never = eventfd (0, 0);
    queue = msgget (IPC_PRIVATE, 0600);
    if (socketpair (AF_UNIX, SOCK_STREAM, 0, silent) != 0) {
        return 2;
    }
    for (unsigned i = 0; i < N_CALLS; i++) {
        pthread_create (&threads[i], NULL, begin, (void *) &calls[i]);
    }
    pthread_create (&sender, NULL, send_late, NULL);
    MPI_Recv (&value, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    pthread_join (sender, NULL);
    for (unsigned i = 0; i < N_CALLS; i++) {
        pthread_join (threads[i], NULL);
    }
    printf ("%d interrupted\n", n_interrupted);
    MPI_Finalize ();
    return 0;
}
