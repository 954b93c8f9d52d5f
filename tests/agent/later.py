# SPDX-License-Identifier: GPL-3.0-or-later
"""Starts threads one after the other, all with the same function."""
import threading


def work(k):
    for i in range(3):
        k += i                      # @ later
    return k


for n in range(3):
    thread = threading.Thread(target=work, args=(10 * n,))
    thread.start()
    thread.join()
print("joined")                     # @ joined
