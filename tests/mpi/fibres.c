/* SPDX-License-Identifier: GPL-3.0-or-later */
/* User-level threads: rank 0 changes between stacks inside MPI, in the function of an operation that
 * MPI calls, so that it is inside three calls at once on one thread. Before that it leaves a call by
 * a jump, and calls MPI inside a call. "outside": then it computes instead of the third call. */
#include <mpi.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

enum { N_FIBRES = 2, STACK_SIZE = 256 * 1024 };

static ucontext_t scheduler, fibres[N_FIBRES];
static char stacks[N_FIBRES][STACK_SIZE]; /* side by side */
static MPI_Comm comms[N_FIBRES];
static MPI_Op op;
static int present = -1; /* the fibre that runs; -1: none */
static jmp_buf before;

static void
yield (void)
{
    int own = present;

    present = -1;
    swapcontext (&fibres[own], &scheduler);
}

static void
resume (int fibre)
{
    present = fibre;
    swapcontext (&scheduler, &fibres[fibre]);
}

static void
add (void *in, void *inout, int *length, MPI_Datatype *type)
{
    for (int i = 0; i < *length; i++) {
        ((int *) inout)[i] += ((const int *) in)[i];
    }
    MPI_Barrier (MPI_COMM_SELF);
    if (present >= 0) {
        yield ();
    }
}

static void
reduce (int fibre)
{
    int own = fibre + 1, sum = 0;

    MPI_Allreduce (&own, &sum, 1, MPI_INT, op, comms[fibre]); //@ reduce
    printf ("%d\n", sum);
}

static void
run (int fibre)
{
    reduce (fibre);
    yield ();
}

static void
on_error (MPI_Comm *comm, int *code, ...)
{
    longjmp (before, 1);
}

static void
leave_by_jump (void)
{
    MPI_Errhandler handler;
    int value = 0;

    MPI_Comm_create_errhandler (on_error, &handler);
    MPI_Comm_set_errhandler (MPI_COMM_WORLD, handler);
    if (setjmp (before) == 0) {
        MPI_Send (&value, 1, MPI_INT, 99, 0, MPI_COMM_WORLD);
    }
    MPI_Comm_set_errhandler (MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Errhandler_free (&handler);
}

static void
wait_outside (void)
{
    for (volatile int i = 0; i < 600; i++) { /* until the test has seen it */
        usleep (100000);
    }
}

static void
run_fibres (int is_outside)
{
    int value;

    leave_by_jump ();
    for (int i = 0; i < N_FIBRES; i++) {
        getcontext (&fibres[i]);
        fibres[i].uc_stack.ss_sp = stacks[i];
        fibres[i].uc_stack.ss_size = STACK_SIZE;
        makecontext (&fibres[i], (void (*) (void)) run, 1, i);
        resume (i);
    }
    if (is_outside) {
        wait_outside ();
    }
    MPI_Recv (&value, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE); //@ receive
    for (int i = 0; i < N_FIBRES; i++) {
        resume (i);
    }
}

int
main (int argc, char **argv)
{
    int rank, value = 5;

    MPI_Init (&argc, &argv);
    MPI_Comm_rank (MPI_COMM_WORLD, &rank);
    MPI_Op_create (add, 1, &op);
    for (int i = 0; i < N_FIBRES; i++) {
        MPI_Comm_dup (MPI_COMM_WORLD, &comms[i]);
        MPI_Comm_set_name (comms[i], i == 0 ? "first" : "second");
    }
    if (rank == 0) {
        run_fibres (argc > 1 && strcmp (argv[1], "outside") == 0);
    } else {
        for (int i = 0; i < N_FIBRES; i++) {
            reduce (i);
        }
        MPI_Send (&value, 1, MPI_INT, 0, 7, MPI_COMM_WORLD); //@ send
    }
    MPI_Barrier (MPI_COMM_WORLD);
    value = 0; //@ end
    for (int i = 0; i < N_FIBRES; i++) {
        MPI_Comm_free (&comms[i]);
    }
    MPI_Op_free (&op);
    MPI_Finalize ();
    return value;
}
