"""LIBLINEAR's dual coordinate descent for the hinge loss (-s 3, one-vs-all), as scikit-learn wraps it.

    peer_linear_svm.py unit IN.svm OUT.svm      rows of unit length, rounded to float32
    peer_linear_svm.py fit DATA.svm C GAP [EPS]

Its stopping rule is a violation, eps. Without EPS the largest of a ladder is taken whose duality gap,
summed over the columns, is at most GAP times the sum of the dual values; the answer has it as "eps".
The primal values are computed here, in double; the dual values are those that LIBLINEAR prints.
"""
import os
import re
import sys
import tempfile
import time
import warnings

import numpy as np
import sklearn
from peer_data import answer
from sklearn.datasets import dump_svmlight_file, load_svmlight_file
from sklearn.preprocessing import normalize
from sklearn.svm import LinearSVC

LADDER = [1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 5e-3, 2e-3, 1e-3, 5e-4, 2e-4, 1e-4]
PASSES = 100000


def primal(x, y, model, cost):
    outputs = x @ model.coef_.T + model.intercept_
    side = np.where(y[:, None] == model.classes_[None, :], 1.0, -1.0)
    return 0.5 * (np.sum(model.coef_**2) + np.sum(model.intercept_**2)) \
        + cost * np.maximum(0, 1 - side * outputs).sum()


def fit(x, y, cost, eps):
    """The model, its processor and wall seconds, and the sum of the dual values it printed."""
    sys.stdout.flush()
    kept = os.dup(1)
    with tempfile.TemporaryFile("w+") as printed:
        os.dup2(printed.fileno(), 1)
        model = LinearSVC(loss="hinge", C=cost, tol=eps, max_iter=PASSES, random_state=0, verbose=1)
        wall, work = time.perf_counter(), time.process_time()
        model.fit(x, y)
        wall, work = time.perf_counter() - wall, time.process_time() - work
        sys.stdout.flush()
        os.dup2(kept, 1)
        printed.seek(0)
        text = printed.read()
    values = [float(v) for v in re.findall(r"Objective value = (\S+)", text)]
    assert len(values) == len(model.classes_), text[-400:]
    return model, work, wall, -sum(values)


warnings.simplefilter("ignore")
if sys.argv[1] == "unit":
    x, y = load_svmlight_file(sys.argv[2])
    dump_svmlight_file(normalize(x).astype(np.float32), y, sys.argv[3], zero_based=False)
    answer()
    sys.exit()

x, y = load_svmlight_file(sys.argv[2])
cost, gap = float(sys.argv[3]), float(sys.argv[4])
for eps in [float(sys.argv[5])] if len(sys.argv) > 5 else LADDER:
    model, work, wall, dual = fit(x, y, cost, eps)
    value = primal(x, y, model, cost)
    if value - dual <= gap * dual:
        break
answer(train=wall, cpu=work, primal=value, dual=dual, eps=eps, passes=int(np.max(model.n_iter_)),
       version=f"LIBLINEAR -s 3 (scikit-learn {sklearn.__version__})")
