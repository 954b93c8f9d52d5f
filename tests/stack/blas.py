# SPDX-License-Identifier: GPL-3.0-or-later
"""Multiplies matrices by the system's BLAS inside a comprehension, a sort key and a method."""
import numpy


class Model:
    def apply(self, matrix):
        return float(numpy.dot(matrix, matrix)[0, 0])  # @ dot


def order(model, matrices):
    return sorted(matrices, key=lambda matrix: model.apply(matrix))  # @ key


def work():
    matrices = [numpy.full((64, 64), float(n)) for n in (3, 1, 2)]
    return [[round(matrix[0, 0]) for matrix in order(Model(), matrices)] for _ in range(1)]  # @ list


if __name__ == "__main__":
    print(work())  # @ main
