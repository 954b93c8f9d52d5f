// SPDX-License-Identifier: GPL-3.0-or-later
// Parallel regions within blocks, whose code gcc puts into functions of their own; see test-regions.py.
#include <cstdio>

struct Job {
    int weight = 3;
    template <class T> T scale (T by) const { return by * weight; }
    int run (int n)
    {
        int sum = 0;
        {
            int start = 5;
#pragma omp parallel for reduction(+ : sum) num_threads(2)
            for (int i = 0; i < n; i++) {
                int part = i * weight;
                sum += part + start; //@ member
            }
        }
        return sum;
    }
};

struct Counted {
    explicit Counted (int by)
    {
        static int total = 10;
        {
            static const char *last = "none";
            total += by;
            last = "some";
            std::printf ("%d %s\n", total, last); //@ constructor
        }
    }
};

template <class T> T
add_twice (T value)
{
    T sum = 0;
    for (int turn = 0; turn < 1; turn++) {
        T copy = value;
#pragma omp parallel reduction(+ : sum) num_threads(2)
        {
#pragma omp single //@ single
            sum += copy; //@ template
        }
    }
    return sum;
}

int
main ()
{
    Job job;
    Counted counted (2);
    std::printf ("%d %g %d\n", job.run (1), add_twice (2.5), job.scale (2));
    return 0;
}
