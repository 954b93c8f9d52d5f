/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Verdicts on ranks that wait for something other than MPI, or for nothing: paused, crashed, computing, in
 * system calls, threads that wait for each other. Cases of the zoo as values. */
#include "zoo.h"

static void
test_held (void)
{
    g_autoptr (Zoo) zoo = zoo_new (6);

    zoo_at (zoo, 5, JOB_STATE_BREAKPOINT, 81);
    zoo_in (zoo, 3, RECV, 5, 12, WORLD, 40);
    zoo_assert_verdict (
        zoo, "3", ANALYSIS_VERDICT_HELD, "5", "on 5 continue",
        "3 waits in MPI_Recv from 5, tag 12 (app.c:40); 5 is paused at app.c:81; "
        "step or continue 5");
    /* Two steps away. */
    zoo_in (zoo, 2, RECV, 3, 1, HALO, 50);
    zoo_communicator (zoo, HALO, "halo");
    zoo_assert_verdict (
        zoo, "2", ANALYSIS_VERDICT_HELD, "5", "on 5 continue",
        "2 waits in MPI_Recv from 3, tag 1 on halo (app.c:50); 3 in MPI_Recv from 5, "
        "tag 12 (app.c:40); 5 is paused at app.c:81; step or continue 5");
}

/* Ranks that were paused inside MPI are still judged by what they wait for. */
static void
test_paused_cycle (void)
{
    g_autoptr (Zoo) zoo = zoo_new (2);

    zoo_in (zoo, 0, RECV, 1, 7, WORLD, 12);
    zoo_in (zoo, 1, RECV, 0, 7, WORLD, 12);
    zoo_at (zoo, 0, JOB_STATE_STOPPED, 12);
    zoo_at (zoo, 1, JOB_STATE_STOPPED, 12);
    zoo_assert_verdict (
        zoo, NULL, ANALYSIS_VERDICT_CYCLE, "0-1", "on 0-1 where",
        "0 and 1 wait for each other: 0 in MPI_Recv from 1, tag 7 (app.c:12); 1 in "
        "MPI_Recv from 0, tag 7 (app.c:12); one must send first");
    /* The message is there: it is only the user who keeps 0. */
    zoo_sent (zoo, 1, 0, WORLD, 7, 1);
    zoo_assert_verdict (
        zoo, "1", ANALYSIS_VERDICT_HELD, "0", "on 0 continue",
        "1 waits in MPI_Recv from 0, tag 7 (app.c:12); 0 is paused at app.c:12; "
        "step or continue 0");
}

/* All have come, and one is stopped inside: the others wait for its processor. */
static void
test_halted (void)
{
    g_autoptr (Zoo) zoo = zoo_new (4);

    for (guint32 rank = 0; rank < 4; rank++) {
        zoo_collective (zoo, rank, WORLD, "MPI_Allreduce", FALSE, 26);
    }
    zoo_at (zoo, 0, JOB_STATE_BREAKPOINT, 26);
    zoo_assert_verdict (
        zoo, NULL, ANALYSIS_VERDICT_HELD, "0", "on 0 continue",
        "1-3 wait in the first collective on MPI_COMM_WORLD, MPI_Allreduce (app.c:26); 0 is paused"
        " at app.c:26; step or continue 0");
    zoo_at (zoo, 3, JOB_STATE_STOPPED, 26);
    zoo_assert_verdict (
        zoo, "1", ANALYSIS_VERDICT_HELD, "0,3", "on 0,3 continue",
        "1 waits in the first collective on MPI_COMM_WORLD, MPI_Allreduce (app.c:26); 0,3 are "
        "paused at app.c:26; step or continue 0,3");
    /* Continuing does not help one whose own threads wait for each other, whichever it is. */
    zoo_queue (zoo, 3)->flags |= JOB_MESSAGE_QUEUE_DEADLOCK;
    zoo_assert_verdict (
        zoo, "1", ANALYSIS_VERDICT_HELD, "0,3", "on 0 continue",
        "1 waits in the first collective on MPI_COMM_WORLD, MPI_Allreduce (app.c:26); 0,3 are "
        "paused at app.c:26; step or continue 0");
    zoo_queue (zoo, 0)->flags |= JOB_MESSAGE_QUEUE_DEADLOCK;
    zoo_assert_verdict (
        zoo, "1", ANALYSIS_VERDICT_HELD, "0,3", "on 0,3 where",
        "1 waits in the first collective on MPI_COMM_WORLD, MPI_Allreduce (app.c:26); 0,3 are "
        "paused at app.c:26");
    for (guint32 rank = 0; rank < 4; rank += 3) {
        zoo_wait (zoo, rank, JOB_WAIT_END, NULL)->other = 4;
    }
    zoo_assert_verdict (
        zoo, "1", ANALYSIS_VERDICT_HELD, "0,3", "on 0,3 where",
        "1 waits in the first collective on MPI_COMM_WORLD, MPI_Allreduce (app.c:26); 0,3 are "
        "paused at app.c:26, where each waits for the end of thread 4");
    zoo_free (zoo);
    /* A receive that was asked for, by one who does not run. */
    zoo = zoo_new (2);
    zoo_in (zoo, 0, SEND, 1, 7, WORLD, 12);
    zoo_in (zoo, 1, RECV, 0, 7, WORLD, 20);
    zoo_at (zoo, 1, JOB_STATE_STOPPED, 20);
    zoo_assert_verdict (
        zoo, NULL, ANALYSIS_VERDICT_HELD, "1", "on 1 continue",
        "0 waits in MPI_Send to 1, tag 7 (app.c:12); 1 is paused at app.c:20; step or "
        "continue 1");
}

static void
test_input (void)
{
    g_autoptr (Zoo) zoo = zoo_new (4);

    zoo_at (zoo, 0, JOB_STATE_RUNNING, 8);
    zoo_wait (zoo, 0, JOB_WAIT_INPUT, "read");
    zoo_queue (zoo, 0)->flags |= JOB_MESSAGE_QUEUE_INPUT;
    for (guint32 rank = 1; rank < 4; rank++) {
        zoo_collective (zoo, rank, WORLD, "MPI_Bcast", FALSE, 10);
    }
    zoo_assert_verdict (
        zoo, "1-3", ANALYSIS_VERDICT_SYSTEM_CALL, "0", "on 0 input ",
        "1-3 wait in the first collective on MPI_COMM_WORLD, MPI_Bcast (app.c:10); 0 has not "
        "called it; it is in read of standard input at app.c:8; input frees it");
    zoo_free (zoo);
    /* two are missing, and one of them reads */
    zoo = zoo_new (4);
    for (guint32 rank = 0; rank < 2; rank++) {
        zoo_at (zoo, rank, JOB_STATE_RUNNING, 8);
        zoo_wait (zoo, rank, rank == 0 ? JOB_WAIT_CALL : JOB_WAIT_INPUT,
                  rank == 0 ? "nanosleep" : "read");
        zoo_queue (zoo, rank)->flags |= rank == 0 ? 0 : JOB_MESSAGE_QUEUE_INPUT;
        zoo_collective (zoo, rank + 2, WORLD, "MPI_Bcast", FALSE, 10);
    }
    zoo_assert_verdict (
        zoo, "2-3", ANALYSIS_VERDICT_SYSTEM_CALL, "0-1", "on 1 input ",
        "2-3 wait in the first collective on MPI_COMM_WORLD, MPI_Bcast (app.c:10); 0 has not "
        "called it; it is in nanosleep at app.c:8; 1 has not called it; it is in read of standard "
        "input at app.c:8; input frees 1");
}

/* Slow is not dead. */
static void
test_computing (void)
{
    g_autoptr (Zoo) zoo = zoo_new (8);
    g_autoptr (AnalysisVerdict) verdict = NULL;

    zoo_communicator (zoo, HALO, "halo");
    for (guint32 rank = 0; rank < 8; rank++) {
        if (rank != 3) {
            zoo_collective (zoo, rank, HALO, "MPI_Barrier", FALSE, 9);
        }
    }
    zoo_at (zoo, 3, JOB_STATE_RUNNING, 77);
    zoo_assert_verdict (
        zoo, NULL, ANALYSIS_VERDICT_MISSING, "3", "on 3 where",
        "0-2,4-7 wait in the first collective on halo, MPI_Barrier (app.c:9); 3 has not called "
        "it; it is computing at app.c:77");
    verdict = zoo_judge (zoo, NULL);
    g_assert_true (job_rank_set_is_empty (verdict->stuck));
    zoo_at (zoo, 3, JOB_STATE_STOPPED, 77);
    zoo_assert_verdict (
        zoo, NULL, ANALYSIS_VERDICT_HELD, "3", "on 3 continue",
        "0-2,4-7 wait in the first collective on halo, MPI_Barrier (app.c:9); 3 has not called "
        "it; it is paused at app.c:77; step or continue 3");
}

static void
test_polling (void)
{
    g_autoptr (Zoo) zoo = zoo_new (2);

    zoo_in (zoo, 0, RECV, 1, 5, WORLD, 12);
    zoo_call (zoo, 1, JOB_MESSAGE_POLL, "MPI_Test", 33);
    zoo_assert_verdict (zoo, NULL, ANALYSIS_VERDICT_COMPUTING, "1", "on 1 where",
                        "0 waits in MPI_Recv from 1, tag 5 (app.c:12); 1 polls with MPI_Test "
                        "(app.c:33)");
}

/* Without the recorder: by stacks, and it says so. */
static void
test_stacks (void)
{
    g_autoptr (Zoo) zoo = zoo_new (4);

    for (guint32 rank = 0; rank < 4; rank++) {
        zoo_queue (zoo, rank)->source = JOB_MESSAGE_SOURCE_STACK;
        zoo_queue (zoo, rank)->flags = JOB_MESSAGE_QUEUE_INITIALIZED;
        g_ptr_array_set_size (zoo_queue (zoo, rank)->communicators, 0);
        if (rank != 2) {
            zoo_call (zoo, rank, JOB_MESSAGE_COLLECTIVE, "MPI_Barrier", 9);
        }
    }
    zoo_at (zoo, 2, JOB_STATE_STOPPED, 70);
    zoo_assert_verdict (
        zoo, NULL, ANALYSIS_VERDICT_HELD, "2", "on 2 continue",
        "0-1,3 appear to wait in MPI_Barrier (app.c:9); 2 is paused at app.c:70; step or "
        "continue 2");
    zoo_at (zoo, 2, JOB_STATE_RUNNING, 70);
    zoo_assert_verdict (
        zoo, NULL, ANALYSIS_VERDICT_UNKNOWN, "", NULL,
        "0-1,3 appear to wait in MPI_Barrier (app.c:9); pddt cannot tell for which rank; 2 is "
        "computing at app.c:70");
}

static void
test_idle (void)
{
    g_autoptr (Zoo) zoo = zoo_new (2);

    zoo_at (zoo, 0, JOB_STATE_RUNNING, 5);
    zoo_at (zoo, 1, JOB_STATE_RUNNING, 5);
    zoo_assert_verdict (zoo, NULL, ANALYSIS_VERDICT_FREE, "0-1", NULL,
                        "no rank is waiting in MPI; 0-1 are computing at app.c:5");
    zoo_at (zoo, 1, JOB_STATE_STOPPED, 6);
    zoo_assert_verdict (zoo, NULL, ANALYSIS_VERDICT_HELD, "1", "on 1 continue",
                        "1 is paused at app.c:6; step or continue 1");
    zoo_at (zoo, 0, JOB_STATE_EXITED, 0);
    zoo_at (zoo, 1, JOB_STATE_EXITED, 0);
    zoo_assert_verdict (zoo, NULL, ANALYSIS_VERDICT_ENDED, "0-1", NULL, "0-1 have exited 0");
}

static void
test_crashed (void)
{
    g_autoptr (Zoo) zoo = zoo_new (3);

    zoo_collective (zoo, 0, WORLD, "MPI_Barrier", FALSE, 9);
    zoo_at (zoo, 1, JOB_STATE_SIGNAL, 30);
    zoo->ranks[1].text = "SIGSEGV";
    zoo_at (zoo, 2, JOB_STATE_STOPPED, 31);
    zoo_assert_verdict (
        zoo, NULL, ANALYSIS_VERDICT_CRASHED, "1", "on 1 where",
        "0 waits in the first collective on MPI_COMM_WORLD, MPI_Barrier (app.c:9); 1 has not called "
        "it; it crashed with SIGSEGV at app.c:30");
    zoo->ranks[1].text
        = "SIGUSR1"; /* which nobody dies of here: the user has asked for this stop */
    zoo_assert_verdict (zoo, "1", ANALYSIS_VERDICT_HELD, "1", "on 1 continue",
                        "1 is paused at SIGUSR1 at app.c:30; step or continue 1");
}

static void
add_behind (Zoo *zoo, JobWaitKind kind, guint32 thread, const char *thread_name, guint32 other,
            const char *other_name, guint32 flags)
{
    JobWait *wait = zoo_wait (zoo, 1, kind, kind == JOB_WAIT_END ? NULL : "b");

    wait->thread = thread;
    wait->thread_name = g_strdup (thread_name);
    wait->other = other;
    wait->other_name = g_strdup (other_name);
    wait->flags = flags;
    wait->file = g_strdup ("app.py");
    wait->line = 30 + thread;
}

/* A paused rank is told with its threads that wait for each other, each named once. */
static void
test_threads (void)
{
    g_autoptr (Zoo) zoo = zoo_new (2);

    zoo_in (zoo, 0, RECV, 1, 7, WORLD, 12);
    zoo_at (zoo, 1, JOB_STATE_STOPPED, 20);
    zoo_queue (zoo, 1)->flags |= JOB_MESSAGE_QUEUE_DEADLOCK;
    add_behind (zoo, JOB_WAIT_END, 1, NULL, 2, "worker", 0);
    add_behind (zoo, JOB_WAIT_RLOCK, 2, "worker", 3, "other", JOB_WAIT_BEHIND);
    add_behind (zoo, JOB_WAIT_LOCK, 3, "other", 2, "worker",
                JOB_WAIT_BEHIND | JOB_WAIT_CLOSES | JOB_WAIT_INFERRED);
    add_behind (zoo, JOB_WAIT_LOCK, 4, "alone", 4, "alone", JOB_WAIT_OTHERS | JOB_WAIT_CLOSES);
    zoo_assert_verdict (
        zoo, "0", ANALYSIS_VERDICT_HELD, "1", "on 1 where",
        "0 waits in MPI_Recv from 1, tag 7 (app.c:12); 1 is paused at app.c:20, where it waits for "
        "the end of thread 2 \"worker\" (thread 2 waits for the RLock b at app.py:32, which thread "
        "3 \"other\" holds; thread 3 waits for the Lock b at app.py:33, which thread 2 has taken: "
        "apparently a deadlock) (thread 4 \"alone\" waits for the Lock b at app.py:34, which the "
        "same thread holds: a deadlock)");
    g_ptr_array_remove_range (zoo_queue (zoo, 1)->waits, 0, 3);
    zoo_assert_verdict (
        zoo, "0", ANALYSIS_VERDICT_HELD, "1", "on 1 where",
        "0 waits in MPI_Recv from 1, tag 7 (app.c:12); 1 is paused at app.c:20 (thread 4 \"alone\" "
        "waits for the Lock b at app.py:34, which the same thread holds: a deadlock)");
}

/* What one thread outside of MPI does, of each kind. */
static void
test_waits (void)
{
    static const struct {
        JobWaitKind kind;
        const char *name, *file;
        guint32 other;
        const char *text;
    } cases[] = {
        { JOB_WAIT_CALL, "nanosleep", NULL, 0, "0-1 are in nanosleep" },
        { JOB_WAIT_CALL, NULL, NULL, 0, "0-1 are in a system call" },
        { JOB_WAIT_FILE, "read", "/tmp/fifo", 0, "0-1 are in read of /tmp/fifo" },
        { JOB_WAIT_DESCRIPTOR, "write", NULL, 0, "0-1 are in write of descriptor 5" },
        { JOB_WAIT_FUTEX, NULL, NULL, 0, "0-1 wait for another thread (futex)" },
        { JOB_WAIT_END, NULL, NULL, 0, "0-1 wait for the end of another thread" },
        { JOB_WAIT_END, NULL, NULL, 3, "0-1 wait for the end of thread 3" },
        { JOB_WAIT_MUTEX, NULL, NULL, 1, "0-1 wait for a mutex that the same thread holds" },
        { JOB_WAIT_MUTEX, NULL, NULL, 2, "0-1 wait for a mutex that thread 2 holds" },
        { JOB_WAIT_LOCK, NULL, NULL, 0, "0-1 wait for the Lock, whose holder is not known" },
        { JOB_WAIT_RLOCK, "r", NULL, 1,
          "0-1 wait for the RLock r, which the same thread holds" },
        { JOB_WAIT_INTERPRETER, NULL, NULL, 0, "0-1 wait for Python's GIL" },
        { JOB_WAIT_INTERPRETER, NULL, NULL, 2,
          "0-1 wait for Python's GIL, which thread 2 holds" },
        { JOB_WAIT_MUTEX, "pthread_rwlock_rdlock", NULL, 2,
          "0-1 wait for a read-write lock that thread 2 holds" },
        { JOB_WAIT_SHARED, "pthread_mutex_lock", NULL, 0,
          "0-1 wait for a mutex shared between processes" },
        { JOB_WAIT_SHARED, "pthread_rwlock_wrlock", NULL, 0,
          "0-1 wait for a read-write lock shared between processes" },
    };

    for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
        Zoo *zoo = zoo_new (2);

        for (guint32 rank = 0; rank < 2; rank++) {
            JobWait *wait = zoo_wait (zoo, rank, cases[i].kind, cases[i].name);

            wait->file = g_strdup (cases[i].file);
            wait->other = cases[i].other;
            wait->number = 5;
        }
        zoo_assert_verdict (zoo, NULL, ANALYSIS_VERDICT_SYSTEM_CALL, "0-1", NULL,
                            cases[i].text);
        zoo_free (zoo);
    }
}

/* A rank that got on between two readings is not stuck, whatever it looks like. */
static void
test_moved (void)
{
    g_autoptr (Zoo) zoo = zoo_new (2);

    zoo_in (zoo, 0, RECV, 1, 7, WORLD, 12);
    zoo_in (zoo, 1, RECV, 0, 7, WORLD, 12);
    zoo->ranks[1].moved = TRUE;
    zoo_at (zoo, 1, JOB_STATE_RUNNING, 12);
    zoo_assert_verdict (
        zoo, "0", ANALYSIS_VERDICT_COMPUTING, "1", "on 1 where",
        "0 waits in MPI_Recv from 1, tag 7 (app.c:12); 1 is making progress at app.c:12");
}

static void
add_recent (Zoo *zoo, guint32 rank, const char *name, guint32 line, guint64 number)
{
    JobMessageCall *call = job_message_call_new (JOB_MESSAGE_RMA, name);

    call->number = number;
    call->place = job_location_new ("main", "/x/app.c", line);
    g_ptr_array_add (zoo_queue (zoo, rank)->recent, call);
}

/* A loop that makes the same calls over and over is said to; one that makes others, too, or that has made them
 * before, to make progress. */
static void
test_repeats (void)
{
    g_autoptr (Zoo) zoo = zoo_new (2);
    g_autoptr (JobMessageQueue) before = NULL;

    zoo_collective (zoo, 0, WORLD, "MPI_Barrier", FALSE, 12);
    zoo_at (zoo, 1, JOB_STATE_RUNNING, 30);
    add_recent (zoo, 1, "MPI_Get", 29, 1);
    before = job_message_queue_dup (zoo_queue (zoo, 1));
    zoo->ranks[1].moved = TRUE;
    zoo->ranks[1].before = before;
    for (guint i = 1; i < 7; i++) {
        add_recent (zoo, 1, i % 2 ? "MPI_Win_flush" : "MPI_Fetch_and_op", i % 2 ? 30 : 29,
                    1 + i);
    }
    zoo_assert_verdict (
        zoo, "0", ANALYSIS_VERDICT_MISSING, "1", "on 1 where",
        "0 waits in the first collective on MPI_COMM_WORLD, MPI_Barrier (app.c:12); 1 has not "
        "called it; it keeps calling MPI_Fetch_and_op and MPI_Win_flush (app.c:29-30)");
    add_recent (zoo, 1, "MPI_Put", 31, 9);
    zoo_assert_verdict (
        zoo, "0", ANALYSIS_VERDICT_MISSING, "1", "on 1 where",
        "0 waits in the first collective on MPI_COMM_WORLD, MPI_Barrier (app.c:12); 1 has not "
        "called it; it is making progress at app.c:30");
}

/* What has no owner says who must come. */
static void
test_library (void)
{
    g_autoptr (Zoo) zoo = zoo_new (2);
    JobWait *wait = zoo_wait (zoo, 1, JOB_WAIT_LIBRARY, "queue.Queue.get");

    zoo_collective (zoo, 0, WORLD, "MPI_Barrier", FALSE, 12);
    zoo_at (zoo, 1, JOB_STATE_RUNNING, 30);
    wait->number = JOB_WAIT_UNTIL_PUT;
    wait->file = g_strdup ("app.py");
    wait->line = 66;
    zoo_assert_verdict (
        zoo, "0", ANALYSIS_VERDICT_SYSTEM_CALL, "1", NULL,
        "0 waits in the first collective on MPI_COMM_WORLD, MPI_Barrier (app.c:12); 1 has not "
        "called it; it waits in queue.Queue.get (app.py:66) until some thread puts something into the "
        "queue");
    wait->flags |= JOB_WAIT_ALONE;
    wait->number = JOB_WAIT_UNTIL_RELEASED;
    zoo_assert_verdict (
        zoo, "0", ANALYSIS_VERDICT_SYSTEM_CALL, "1", NULL,
        "0 waits in the first collective on MPI_COMM_WORLD, MPI_Barrier (app.c:12); 1 has not "
        "called it; it waits in queue.Queue.get (app.py:66) until some thread releases the semaphore, but "
        "its process has no other thread");
}

static JobWait *
add_lock (Zoo *zoo, guint32 rank, guint32 holder)
{
    JobWait *wait = zoo_wait (zoo, rank, JOB_WAIT_SHARED, "pthread_mutex_lock");

    wait->flags = JOB_WAIT_ALONE;
    wait->number = 0x1000 + holder;
    wait->peer = holder + 1;
    wait->turns = 5;
    return wait;
}

/* Two ranks that hold what the other one waits for, outside of MPI: only if they have slept since the first reading. */
static void
test_locks (void)
{
    g_autoptr (Zoo) zoo = zoo_new (3);
    JobWait *wait = add_lock (zoo, 0, 1);
    JobMessageQueue *before[3];

    add_lock (zoo, 1, 0);
    zoo_collective (zoo, 2, WORLD, "MPI_Barrier", FALSE, 12);
    for (guint32 rank = 0; rank < 3; rank++) {
        zoo_at (zoo, rank, JOB_STATE_RUNNING, 30 + rank);
        before[rank] = job_message_queue_dup (zoo_queue (zoo, rank));
        zoo->ranks[rank].before = before[rank];
    }
    zoo_assert_verdict (
        zoo, NULL, ANALYSIS_VERDICT_CYCLE, "0-1", "on 0-1 where",
        "0 and 1 wait for each other: 0 in pthread_mutex_lock, which 1 holds (app.c:30); 1 in "
        "pthread_mutex_lock, which 0 holds (app.c:31); 1 more is stuck");
    wait->turns++; /* it may have had the mutex meanwhile */
    zoo_assert_verdict (
        zoo, NULL, ANALYSIS_VERDICT_SYSTEM_CALL, "1", NULL,
        "0 waits in pthread_mutex_lock, which 1 holds (app.c:30); 1 waits for a mutex shared "
        "between processes (app.c:31), which 0 holds");
    wait->turns--;
    wait->flags = JOB_WAIT_TIMED;
    zoo_assert_verdict (zoo, "0", ANALYSIS_VERDICT_SYSTEM_CALL, "0", NULL,
                        "0 waits for a mutex shared between processes (app.c:30), which "
                        "1 holds, with a time limit");
    for (guint32 rank = 0; rank < 3; rank++) {
        job_message_queue_free (before[rank]);
    }
}

int
main (int argc, char **argv)
{
    zoo_init (&argc, &argv);
    g_test_add_func ("/analysis/verdict/held", test_held);
    g_test_add_func ("/analysis/verdict/halted", test_halted);
    g_test_add_func ("/analysis/verdict/paused-cycle", test_paused_cycle);
    g_test_add_func ("/analysis/verdict/input", test_input);
    g_test_add_func ("/analysis/verdict/computing", test_computing);
    g_test_add_func ("/analysis/verdict/polling", test_polling);
    g_test_add_func ("/analysis/verdict/stacks", test_stacks);
    g_test_add_func ("/analysis/verdict/idle", test_idle);
    g_test_add_func ("/analysis/verdict/moved", test_moved);
    g_test_add_func ("/analysis/verdict/repeats", test_repeats);
    g_test_add_func ("/analysis/verdict/library", test_library);
    g_test_add_func ("/analysis/verdict/locks", test_locks);
    g_test_add_func ("/analysis/verdict/crashed", test_crashed);
    g_test_add_func ("/analysis/verdict/threads", test_threads);
    g_test_add_func ("/analysis/verdict/waits", test_waits);
    return g_test_run ();
}
