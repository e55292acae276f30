"""What the peers' scripts share: reading a prepared CSV file (label last, no header), scaling to
[-1, 1] by the training range, targets of +-1, and answering with one line of JSON. None of it is
inside a timed part."""
import json
import sys
import time

import numpy as np


def read(path, rows=0):
    cells = np.loadtxt(path, delimiter=",", dtype=str, max_rows=rows or None)
    return cells[:, :-1].astype(float), cells[:, -1]


def scaler(x):
    low, high = x.min(axis=0), x.max(axis=0)
    span = np.where(high > low, high - low, 1)
    return lambda z: 2 * (z - low) / span - 1


def targets(y):
    classes = np.unique(y)
    return classes, np.where(y[:, None] == classes[None, :], 1.0, -1.0)


def timed(function):
    start = time.perf_counter()
    result = function()
    return time.perf_counter() - start, result


def answer(**fields):
    json.dump(fields, sys.stdout)
    print()
