"""LIBLINEAR's multiclass SVM of Crammer and Singer (-s 4), without its bias, as scikit-learn wraps it.

    peer_spoc_linear.py DATA.svm C EPS

The seconds are of its solver alone: from those of fit, what fit takes on the same data with a solver that makes no step
(-s 3 with max_iter 0) is subtracted: checks, copies into LIBLINEAR's rows. The primal value is computed here, in double.
"""
import sys
import time
import warnings

import numpy as np
import sklearn
from peer_data import answer
from sklearn.datasets import load_svmlight_file
from sklearn.svm import LinearSVC


def fit(x, y, **options):
    """The model, processor and wall seconds."""
    model = LinearSVC(fit_intercept=False, random_state=0, **options)
    wall, work = time.perf_counter(), time.process_time()
    model.fit(x, y)
    return model, time.process_time() - work, time.perf_counter() - wall


def primal(x, y, model, cost):
    f = x @ model.coef_.T
    own = np.searchsorted(model.classes_, y)
    margin = f - f[np.arange(len(y)), own][:, None] + 1
    margin[np.arange(len(y)), own] = 0
    return 0.5 * np.sum(model.coef_**2) + cost * margin.max(axis=1).sum()


warnings.simplefilter("ignore")
x, y = load_svmlight_file(sys.argv[1])
cost, eps = float(sys.argv[2]), float(sys.argv[3])
model, work, wall = fit(x, y, multi_class="crammer_singer", C=cost, tol=eps)
_, idle_work, idle_wall = fit(x, y, loss="hinge", C=cost, max_iter=0)
answer(train=wall - idle_wall, cpu=work - idle_work, fit=work, primal=primal(x, y, model, cost),
       version=f"LIBLINEAR -s 4 (scikit-learn {sklearn.__version__})")
