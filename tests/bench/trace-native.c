/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Processor time of calls that --trace records, and of a free lock, which it does not: "NAME NS" for each, the best of 7. */
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 7, N = 20000 };

static char bytes[4096];
static int fd;
static FILE *stream;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t semaphore;

static double
now (void)
{
    struct timespec at;

    clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &at);
    return (double) at.tv_sec * 1e9 + (double) at.tv_nsec;
}

static int
read_part (void)
{
    return pread (fd, bytes, sizeof bytes, 0) == (ssize_t) sizeof bytes;
}

static int
write_part (void)
{
    return fwrite (bytes, 1, 64, stream) == 64;
}

static int
print (void)
{
    return fprintf (stream, "%d %s\n", 17, "seventeen") == 13;
}

static int
put_character (void)
{
    return putc ('x', stream) == 'x';
}

static int
lock_free (void)
{
    return pthread_mutex_lock (&lock) == 0 && pthread_mutex_unlock (&lock) == 0;
}

static int
take_free (void)
{
    return sem_wait (&semaphore) == 0 && sem_post (&semaphore) == 0;
}

static int
measure (const char *name, int (*call) (void))
{
    double best = 1e18;

    for (int round = 0; round < ROUNDS; round++) {
        double begin = now (), spent;

        for (int i = 0; i < N; i++) {
            if (!call ()) {
                return 0;
            }
        }
        spent = (now () - begin) / N;
        best = spent < best ? spent : best;
    }
    printf ("%s %.1f\n", name, best);
    return 1;
}

int
main (int argc, char **argv)
{
    fd = open (argv[1], O_RDWR | O_CREAT, 0600);
    stream = fopen (argv[2], "w");
    if (fd < 0 || stream == NULL || write (fd, bytes, sizeof bytes) != (ssize_t) sizeof bytes) {
        return 1;
    }
    sem_init (&semaphore, 0, 1);
    return !(measure ("pread", read_part) && measure ("fwrite", write_part)
             && measure ("fprintf", print) && measure ("putc", put_character)
             && measure ("mutex", lock_free) && measure ("semaphore", take_free));
}
