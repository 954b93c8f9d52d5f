/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values of every kind to be printed in every format, a function to return from early, a handler to step
 * into, a child by vfork, and system calls to be caught. Prints one line and ends with 0. */
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum colour { RED, GREEN = 5, BLUE };
struct point { int x, y; double weight; };

int number = -77;
unsigned int mask = 0xdeadbeef;
long wide = 1234567890123L;
short small = -3;
signed char minus = -1;
unsigned char octet = 200;
char letter = 'A';
bool flag = true;
float half = 2.5f;
double pi = 3.14159;
enum colour colour = BLUE;
int table[6] = { 1, -2, 3, 40, 5, 66 };
unsigned char bytes[4] = { 1, 2, 254, 255 };
char text[8] = "hello", runs[64] = "aaaaaaaaaaaaaaa b";
const char *greeting = "good day";
int *pointer = &table[2];
struct point corner = { 3, -4, 0.5 };
struct point *far = &corner;
static int turns, handled, halved;

static void
on_signal (int signal)
{
    handled += signal; //@ handler
    handled++;
}

static int
half_of (int value)
{
    int result = value / 2;

    result += 0; //@ half
    return result;
}

static void
count (int step)
{
    int twice = 2 * step;

    turns += twice; //@ count
}

static int
spawn (int depth)
{
    pid_t child;

    if (depth > 0) {
        return spawn (depth - 1);
    }
    child = vfork ();
    if (child == 0) {
        _exit (0);
    }
    return waitpid (child, NULL, 0) == child;
}

int
main (void)
{
    int i, sum;

    signal (SIGUSR1, on_signal);
    sum = half_of (10); //@ begin
    sum += half_of (number);
    for (i = 0; i < 6; i++) {
        count (i); //@ loop
    }
    kill (getpid (), SIGUSR1); //@ kill
    sum += spawn (2);
    for (i = 0; i < 1; i++) {
        halved = half_of (2); //@ parts
        sum += halved - 1;
    }
    printf ("%d %d %d\n", sum, turns, handled); //@ end
    return 0;
}
