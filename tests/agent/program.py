# SPDX-License-Identifier: GPL-3.0-or-later
"""The program that the agent's tests debug."""
import sys
import program_helper


class Counter:
    def __init__(self):
        self.value = 0

    def add(self, amount):
        self.value += amount            #@ add
        return self.value


def work(n):
    total = 0                           #@ work-first
    for i in range(n):
        total += i                      #@ work-loop
    return total                        #@ work-return


def twice(x):
    y = program_helper.double(x)        #@ twice-first
    return y                            #@ twice-return


def generate(n):
    for item in range(n):               #@ generate-first
        yield item


def guarded():
    try:
        raise KeyError("inside")        #@ raise
    except KeyError:
        return 1


def spin():
    n = 1
    print("spinning", flush=True)
    while n > 0:
        n = n + 1                       #@ loop


def main():
    if "loop" in sys.argv:
        spin()
        return
    counter = Counter()                 #@ main-first
    for step in range(3):
        counter.add(step)               #@ main-add
    result = work(10)                   #@ main-work
    print("work", result)               #@ main-print
    print("twice", twice(4))            #@ main-twice
    print("generate", sum(generate(3)))
    print("guarded", guarded())
    if "fail" in sys.argv:
        raise ValueError("no luck")     #@ fail

    #@ main-end


main()                                  #@ entry-call
