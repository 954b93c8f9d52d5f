// SPDX-License-Identifier: GPL-3.0-or-later
// Two threads wait for each other's std::mutex, whose lock() is code of headers; see tests/command/test-locks.py.
#include <atomic>
#include <mutex>
#include <thread>

static std::mutex first, second;
static std::atomic<int> n_held;

static void
take (std::mutex &own)
{
    own.lock ();
    n_held++;
    while (n_held < 2) {
        std::this_thread::yield ();
    }
}

static void
forwards ()
{
    take (first);
    std::lock_guard<std::mutex> other (second); //@ forwards
}

static void
backwards ()
{
    take (second);
    std::lock_guard<std::mutex> other (first); //@ backwards
}

int
main ()
{
    std::thread one (forwards), two (backwards);

    one.join ();
    two.join ();
    return 0;
}
