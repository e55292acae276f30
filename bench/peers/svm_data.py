"""Prepares a data set for the SVM scenarios, so that ours and the peers read the same numbers.

    svm_data.py FOLDER NAME OUT ROWS

FOLDER/NAME/{train,test}.csv.gz -> OUT-{train,test}.csv (label last, no header), the same as LIBSVM text
(.svm, classes numbered from 1) and as .npz for the peers. Features are scaled to [-1, 1] by the training
range (MNIST: to [0, 1] by 255) and rounded to float32. ROWS > 0 draws so many training rows, seeded.
"""
import csv
import gzip
import pathlib
import sys

import numpy as np


def read(path):
    with gzip.open(path, "rt") as file:
        cells = list(csv.reader(file))[1:]
    return np.array([row[:-1] for row in cells], dtype=np.float64), np.array([row[-1] for row in cells])


def scaled(name, x, x_test):
    if name == "mnist":
        return x / 255, x_test / 255
    low, high = x.min(axis=0), x.max(axis=0)
    span = np.where(high > low, high - low, 1)
    return 2 * (x - low) / span - 1, 2 * (x_test - low) / span - 1


def write(out, part, x, y, number):
    with open(f"{out}-{part}.csv", "w") as table, open(f"{out}-{part}.svm", "w") as sparse:
        for row, label, index in zip(x, y, number):
            text = [np.format_float_positional(v, unique=True, trim="-") for v in row]
            table.write(",".join(text) + f",{label}\n")
            cells = [f"{j + 1}:{t}" for j, (t, v) in enumerate(zip(text, row)) if v != 0]
            sparse.write(f"{index + 1} " + " ".join(cells) + "\n")
    np.savez(f"{out}-{part}.npz", x=x.astype(np.float64), y=y, number=number + 1)


folder, name, out, rows = sys.argv[1:5]
x, y = read(pathlib.Path(folder) / name / "train.csv.gz")
x_test, y_test = read(pathlib.Path(folder) / name / "test.csv.gz")
if 0 < int(rows) < len(x):
    chosen = np.random.RandomState(1).permutation(len(x))[: int(rows)]
    x, y = x[chosen], y[chosen]
x, x_test = (z.astype(np.float32) for z in scaled(name, x, x_test))
classes = np.unique(np.concatenate([y, y_test]))
write(out, "train", x, y, np.searchsorted(classes, y))
write(out, "test", x_test, y_test, np.searchsorted(classes, y_test))
