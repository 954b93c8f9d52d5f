# SPDX-License-Identifier: GPL-3.0-or-later
"""The Mandelbrot set in rows. Each rank computes a block of neighbouring rows, as most programs
divide their work, but the rows in the middle of the picture need far more steps than those at its
edges: most ranks wait for a few. With --cyclic each rank computes every n-th row instead.

    pddt --profile mpirun -np 8 python3 mandelbrot.py
"""
import argparse

from mpi4py import MPI

WIDTH, LEFT, RIGHT, TOP = 240, -2.2, 0.8, 1.25


def count_steps(c, limit):
    """Steps until the point leaves the circle of radius 2; limit: it has not."""
    z = 0j
    for step in range(limit):
        if z.real * z.real + z.imag * z.imag > 4:
            return step
        z = z * z + c
    return limit


def compute_row(row, n_rows, limit):
    y = TOP - 2 * TOP * (row + 0.5) / n_rows
    scale = (RIGHT - LEFT) / WIDTH
    return [count_steps(complex(LEFT + x * scale, y), limit) for x in range(WIDTH)]


def choose_rows(rank, n_ranks, n_rows, cyclic):
    if cyclic:
        return range(rank, n_rows, n_ranks)
    return range(n_rows * rank // n_ranks, n_rows * (rank + 1) // n_ranks)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=256)
    parser.add_argument("--limit", type=int, default=400)
    parser.add_argument("--pictures", type=int, default=3)
    parser.add_argument("--cyclic", action="store_true")
    options = parser.parse_args()
    world = MPI.COMM_WORLD
    for picture in range(options.pictures):
        begin = MPI.Wtime()
        rows = {row: compute_row(row, options.rows, options.limit)
                for row in choose_rows(world.rank, world.size, options.rows, options.cyclic)}
        parts = world.gather(rows, root=0)
        if world.rank == 0:
            inside = sum(steps == options.limit
                         for part in parts for row in part.values() for steps in row)
            print(f"picture {picture}: {inside} points inside, {MPI.Wtime() - begin:.1f} s",
                  flush=True)


main()
