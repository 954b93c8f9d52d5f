/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Emulated instructions compared with the processor: thousands of instances with random
 * registers, flags and operands, each also single-stepped in a process as the oracle. */
#include "engine/private.h"
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#define CODE G_GUINT64_CONSTANT (0x10000000)
#define DATA G_GUINT64_CONSTANT (0x20000000)
#define SIZE 65536u
#define GUARD G_GUINT64_CONSTANT (0x30000000)
#define GUARD_SIZE 4096u
#define WINDOW 512u /* of the stack, around rsp, that is compared */
#define N_ROUNDS 20000u
#define SHOWN_FLAGS (~(guint64) 0x10100) /* without trap and resume */

typedef struct {
    pid_t pid;
    BaseMemoryReader *memory;
    MachineRegisters first; /* as the process stopped */
    guint8 code[16];
    gsize code_size;
    guint n_done, n_refused, n_faults;
} Bench;

static gboolean
emulate (Bench *bench, MachineRegisters *registers)
{
    const MachineWords words = { target_memory_load_word, target_memory_store_word,
                                 bench->memory };

    return machine_code_emulate (&words, registers);
}

static void
start (Bench *bench)
{
    int status;

    bench->pid = fork ();
    g_assert_cmpint (bench->pid, >=, 0);
    if (bench->pid == 0) {
        prctl (PR_SET_PDEATHSIG, SIGKILL);
        mmap ((void *) CODE, SIZE, PROT_READ | PROT_WRITE | PROT_EXEC,
              MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
        mmap ((void *) DATA, SIZE, PROT_READ | PROT_WRITE,
              MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
        mmap ((void *) GUARD, GUARD_SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
              -1, 0);
        ptrace (PTRACE_TRACEME, 0, NULL, NULL);
        raise (SIGSTOP);
        _exit (0);
    }
    g_assert_cmpint (waitpid (bench->pid, &status, 0), ==, bench->pid);
    g_assert_true (WIFSTOPPED (status));
    g_assert_true (target_thread_get_registers (bench->pid, &bench->first));
    bench->memory = target_memory_new (bench->pid);
}

static void
put (Bench *bench, guint64 value, guint size)
{
    memcpy (bench->code + bench->code_size, &value, size);
    bench->code_size += size;
}

static guint64
get_random (void)
{
    return (guint64) g_test_rand_int () << 32 | (guint32) g_test_rand_int ();
}

/* Somewhere in the data, or now and then anywhere. */
static guint64
choose_value (void)
{
    switch (g_test_rand_int_range (0, 12)) {
    case 0: return get_random ();
    case 1: return (guint64) g_test_rand_int_range (0, 3);
    default: return DATA + 4096 + (guint64) g_test_rand_int_range (0, SIZE - 8192) / 8 * 8;
    }
}

static void
choose_registers (Bench *bench, MachineRegisters *registers)
{
    *registers = bench->first;
    for (guint i = 0; i < 16; i++) {
        machine_registers_set (registers, i, choose_value ());
    }
    registers->rsp = DATA + 4096 + (guint64) g_test_rand_int_range (0, SIZE - 8192) / 8 * 8;
    registers->rip = CODE + 4096 + (guint64) g_test_rand_int_range (0, SIZE - 8192);
    registers->orig_rax = (guint64) -1;
    registers->eflags = (registers->eflags & ~(guint64) 0xd5) | 0x202
                        | ((guint64) g_test_rand_int () & 0x8d5); /* status flags */
}

/* ModRM of call and jmp with what follows it. */
static void
put_operand (Bench *bench, guint what)
{
    guint mode = (guint) g_test_rand_int_range (0, 4),
          number = (guint) g_test_rand_int_range (0, 8);

    put (bench, mode << 6 | what << 3 | number, 1);
    if (mode != 3 && number == 4) {
        guint scaled = (guint) g_test_rand_int () & 0xff;

        put (bench, scaled, 1);
        if (mode == 0 && (scaled & 7) == 5) {
            put (bench, DATA + (guint) g_test_rand_int_range (0, 4096), 4);
        }
    } else if (mode == 0 && number == 5) {
        put (bench, DATA - CODE - (guint64) g_test_rand_int_range (0, 256), 4);
    }
    if (mode == 1) {
        put (bench, (guint64) g_test_rand_int (), 1);
    } else if (mode == 2) {
        put (bench, (guint64) g_test_rand_int_range (-2000, 2000), 4);
    }
}

static void
choose_instruction (Bench *bench)
{
    gboolean has_rex = g_test_rand_bit ();

    bench->code_size = 0;
    memset (bench->code, 0x90, sizeof bench->code);
    switch (g_test_rand_int_range (0, 12)) {
    case 0: put (bench, 0x90, 1); break;
    case 1: put (bench, 0xfa1e0ff3, 4); break;
    case 2: put (bench, 0xc3, 1); break;
    case 3:
        put (bench, 0xc2, 1);
        put (bench, (guint64) g_test_rand_int () & 0xfff8, 2);
        break;
    case 4:
        put (bench, 0xe0 + (guint64) g_test_rand_int_range (0, 4), 1);
        put (bench, (guint64) g_test_rand_int (), 1);
        break;
    case 5:
        put (bench, 0xe8 + (guint64) g_test_rand_int_range (0, 2), 1);
        put (bench, (guint64) g_test_rand_int_range (-100000, 100000), 4);
        break;
    case 6:
        put (bench, 0xeb, 1);
        put (bench, (guint64) g_test_rand_int (), 1);
        break;
    case 7:
        put (bench, 0x70 + (guint64) g_test_rand_int_range (0, 16), 1);
        put (bench, (guint64) g_test_rand_int (), 1);
        break;
    case 8:
        put (bench, 0x0f, 1);
        put (bench, 0x80 + (guint64) g_test_rand_int_range (0, 16), 1);
        put (bench, (guint64) g_test_rand_int_range (-100000, 100000), 4);
        break;
    case 9:
        if (has_rex) {
            put (bench, 0x40 + (guint64) g_test_rand_int_range (0, 16), 1);
        }
        put (bench, 0x50 + (guint64) g_test_rand_int_range (0, 16), 1);
        break;
    default:
        if (g_test_rand_bit ()) {
            put (bench, 0x3e, 1);
        } else if (has_rex) {
            put (bench, 0x40 + (guint64) g_test_rand_int_range (0, 16), 1);
        }
        put (bench, 0xff, 1);
        put_operand (bench, g_test_rand_bit () ? 2 : 4);
        break;
    }
}

/* As the processor does it. FALSE: it faults. */
static gboolean
step (Bench *bench, MachineRegisters *registers)
{
    int status;

    g_assert_true (target_thread_set_registers (bench->pid, registers));
    g_assert_true (target_thread_step (bench->pid, 0));
    g_assert_cmpint (waitpid (bench->pid, &status, 0), ==, bench->pid);
    g_assert_true (WIFSTOPPED (status));
    g_assert_true (target_thread_get_registers (bench->pid, registers));
    return WSTOPSIG (status) == SIGTRAP;
}

static void
compare (const Bench *bench, const MachineRegisters *ours, const MachineRegisters *theirs)
{
    for (guint i = 0; i < 17; i++) {
        guint64 mine, other;

        g_assert_true (machine_registers_get (ours, i, &mine)
                       && machine_registers_get (theirs, i, &other));
        if (mine != other) {
            g_error ("register %u is 0x%" G_GINT64_MODIFIER
                     "x and should be 0x%" G_GINT64_MODIFIER
                     "x after %02x %02x %02x %02x %02x %02x",
                     i, mine, other, bench->code[0], bench->code[1], bench->code[2],
                     bench->code[3], bench->code[4], bench->code[5]);
        }
    }
    g_assert_cmphex (ours->eflags & SHOWN_FLAGS, ==, theirs->eflags & SHOWN_FLAGS);
}

/* What moves the stack and does not go on behind itself is a call or a return. */
static void
check_link (const Bench *bench, const MachineRegisters *before, const MachineRegisters *after)
{
    gboolean is_linking = machine_code_is_linking (bench->code, sizeof bench->code);

    if (after->rsp == before->rsp) {
        g_assert_false (is_linking);
    } else if (after->rip != before->rip + bench->code_size) {
        g_assert_true (is_linking);
    }
}

static void
check_one (Bench *bench)
{
    MachineRegisters before, theirs, ours;
    guint8 stack[WINDOW], stepped[WINDOW], emulated[WINDOW];
    guint64 window;
    gboolean is_stepped, is_emulated;

    choose_registers (bench, &before);
    choose_instruction (bench);
    window = before.rsp - WINDOW / 2;
    g_assert_true (base_memory_write (bench->memory, before.rip, bench->code,
                                      sizeof bench->code, NULL));
    g_assert_true (base_memory_read (bench->memory, window, stack, WINDOW, NULL));
    theirs = ours = before;
    is_stepped = step (bench, &theirs);
    g_assert_true (base_memory_read (bench->memory, window, stepped, WINDOW, NULL));
    g_assert_true (base_memory_write (bench->memory, window, stack, WINDOW, NULL));
    is_emulated = emulate (bench, &ours);
    g_assert_true (base_memory_read (bench->memory, window, emulated, WINDOW, NULL));
    g_assert_true (base_memory_write (bench->memory, window, stack, WINDOW, NULL));
    if (is_emulated) {
        g_assert_true (is_stepped); /* what faults is the processor's */
        compare (bench, &ours, &theirs);
        g_assert_cmpmem (emulated, WINDOW, stepped, WINDOW);
        check_link (bench, &before, &theirs);
    } else {
        g_assert_cmpmem (emulated, WINDOW, stack, WINDOW);
        compare (bench, &ours, &before);
    }
    bench->n_done += is_emulated;
    bench->n_refused += !is_emulated && is_stepped;
    bench->n_faults += !is_stepped;
}

/* The words of the data are addresses of code, mostly, so that calls by memory lead somewhere. */
static void
fill_data (Bench *bench)
{
    g_autofree guint64 *words = g_new (guint64, SIZE / 8);

    for (guint i = 0; i < SIZE / 8; i++) {
        words[i] = g_test_rand_int_range (0, 20) == 0
                       ? get_random ()
                       : CODE + (guint64) g_test_rand_int_range (0, SIZE);
    }
    g_assert_true (base_memory_write (bench->memory, DATA, words, SIZE, NULL));
}

static void
test_random (void)
{
    Bench bench = { 0 };

    start (&bench);
    fill_data (&bench);
    for (guint i = 0; i < N_ROUNDS; i++) {
        check_one (&bench);
    }
    /* Nearly all are done; what is left to the processor is what it refuses. */
    g_test_message ("%u done by hand, %u left, %u faults", bench.n_done, bench.n_refused,
                    bench.n_faults);
    g_assert_cmpuint (bench.n_done, >, N_ROUNDS * 3 / 4);
    g_assert_cmpuint (bench.n_refused, <, N_ROUNDS / 50);
    g_assert_cmpuint (bench.n_faults, >, 0);
    target_memory_free (bench.memory);
    kill (bench.pid, SIGKILL);
    g_assert_cmpint (waitpid (bench.pid, NULL, 0), ==, bench.pid);
}

/* A trap of the program's own is nobody's to pass over, nor an instruction that is not known. */
static void
test_left (void)
{
    static const struct {
        guint8 bytes[6];
        guint64 flags;
    } rows[] = {
        { { 0x90 }, 0x100 },         /* the program steps itself */
        { { 0x48, 0x89, 0xe5 }, 0 }, /* mov %rsp,%rbp */
        { { 0xcc }, 0 },
        { { 0x0f, 0x05 }, 0 }, /* int3, syscall */
        { { 0x66, 0xe9 }, 0 },
        { { 0xff, 0x18 }, 0 },
        { { 0xf4 }, 0 },
        { { 0x0f, 0x0b }, 0 },
    };
    Bench bench = { 0 };

    start (&bench);
    for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
        MachineRegisters registers = bench.first, before;

        registers.rip = CODE;
        registers.eflags |= rows[i].flags;
        before = registers;
        g_assert_true (base_memory_write (bench.memory, CODE, rows[i].bytes,
                                          sizeof rows[i].bytes, NULL));
        g_assert_false (emulate (&bench, &registers));
        g_assert_cmpmem (&registers, sizeof registers, &before, sizeof before);
    }
    target_memory_free (bench.memory);
    kill (bench.pid, SIGKILL);
    g_assert_cmpint (waitpid (bench.pid, NULL, 0), ==, bench.pid);
}

/* A stack that ends: what the processor would fault at is not done by hand, and writes nothing. */
static void
test_guard_page (void)
{
    static const guint8 codes[][6]
        = { { 0x55 }, { 0xe8, 1, 0, 0, 0 }, { 0xff, 0xd0 } }; /* push, calls */
    Bench bench = { 0 };

    start (&bench);
    for (guint i = 0; i < G_N_ELEMENTS (codes); i++) {
        MachineRegisters registers = bench.first, before;
        guint64 word = 1;

        registers.rip = CODE;
        registers.rax = CODE;
        registers.rsp = GUARD + GUARD_SIZE;
        before = registers;
        g_assert_true (base_memory_write (bench.memory, CODE, codes[i], sizeof codes[i], NULL));
        g_assert_false (emulate (&bench, &registers));
        g_assert_cmpmem (&registers, sizeof registers, &before, sizeof before);
        /* pddt's own look reaches it */
        g_assert_true (base_memory_read_u64 (bench.memory, registers.rsp - 8, &word, NULL));
        g_assert_cmphex (word, ==, 0);
        g_assert_false (step (&bench, &before));
    }
    target_memory_free (bench.memory);
    kill (bench.pid, SIGKILL);
    g_assert_cmpint (waitpid (bench.pid, NULL, 0), ==, bench.pid);
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/engine/emulate/random", test_random);
    g_test_add_func ("/engine/emulate/left", test_left);
    g_test_add_func ("/engine/emulate/guard-page", test_guard_page);
    return g_test_run ();
}
