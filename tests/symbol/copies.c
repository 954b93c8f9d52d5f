// SPDX-License-Identifier: GPL-3.0-or-later
// Variables of which regions of OpenMP have copies of their own; see test-outlined.py.
volatile int seen;

static double
known (double *whole)
{
    double sum = 5, scaled = 0;
    int last = 0;

#pragma omp parallel for reduction(+ : sum) private(scaled) lastprivate(last) num_threads(1)
    for (int i = 2; i < 6; i++) {
        scaled = i * 2;
        sum += scaled;
        last = i + 100;
        seen = i;
        whole[i] = sum; //@ known
    }
    return sum + last;
}

static double
unknown (int n, double *whole)
{
    double sum = 5;

#pragma omp parallel for reduction(+ : sum) num_threads(1)
    for (int i = 2; i < n; i++) {
        sum += i * 2;
        seen = i;
        whole[i] = sum; //@ unknown
    }
    return sum;
}

int
main (int argc, char **argv)
{
    double whole[8];

    return known (whole) + unknown (argc + 5, whole) > 100;
}
