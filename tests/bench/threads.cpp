// SPDX-License-Identifier: GPL-3.0-or-later
// A fixed amount of work, divided among 41 threads that meet after each part of it; prints its time and its user
// time.
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <numeric>
#include <sys/resource.h>
#include <thread>
#include <vector>

namespace {

constexpr unsigned n_threads = 41;

class Meeting
{
public:
    void wait ()
    {
        std::unique_lock lock (mutex);
        const auto round = rounds;

        if (++arrived == n_threads) {
            arrived = 0;
            rounds++;
            all.notify_all ();
        } else {
            all.wait (lock, [&] { return rounds != round; });
        }
    }

private:
    std::mutex mutex;
    std::condition_variable all;
    unsigned arrived = 0;
    unsigned long rounds = 0;
};

template <typename Number> [[gnu::noinline]] Number relax (std::vector<Number> &cells)
{
    for (size_t i = 1; i + 1 < cells.size (); i++) {
        cells[i] = (cells[i - 1] + 2 * cells[i] + cells[i + 1]) / 4;
    }
    return std::accumulate (cells.begin (), cells.end (), Number (0));
}

double now ()
{
    return std::chrono::duration<double> (std::chrono::steady_clock::now ().time_since_epoch ()).count ();
}

} // namespace

int main (int argc, char **argv)
{
    const int turns = argc > 1 ? std::atoi (argv[1]) : 100;
    const double begin = now ();
    Meeting meeting;
    std::vector<std::thread> threads;
    std::vector<double> sums (n_threads);

    for (unsigned number = 0; number < n_threads; number++) {
        threads.emplace_back ([&, number] {
            std::vector<double> cells (4000, number);

            for (int turn = 0; turn < turns; turn++) {
                for (int i = 0; i < 20; i++) {
                    sums[number] += relax (cells);
                }
                meeting.wait ();
            }
        });
    }
    for (auto &thread : threads) {
        thread.join ();
    }
    rusage used;
    getrusage (RUSAGE_SELF, &used);
    std::printf ("time %f %f\n", now () - begin, static_cast<double> (used.ru_utime.tv_sec) + static_cast<double> (used.ru_utime.tv_usec) / 1e6);
    return sums[0] < 0;
}
