"""Logistic regression with squared weights by scikit-learn's solvers, to a given value of what is minimised.

    peer_logistic.py DATA.svm C SOLVER VALUE [TOL]

SOLVER is liblinear (LIBLINEAR -s 0, one-vs-all) or, for the multinomial problem, lbfgs or newton-cg. In all of them the
bias is the weight of a feature that is 1 in every row and is penalised. Without TOL the largest of a ladder is
taken whose value, computed here in double, is at most VALUE; the answer has it as "tol".
"""
import sys
import time
import warnings

import numpy as np
import scipy.sparse
import sklearn
from peer_data import answer
from scipy.special import logsumexp
from sklearn.datasets import load_svmlight_file
from sklearn.linear_model import LogisticRegression

LADDER = [1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 5e-3, 2e-3, 1e-3, 5e-4, 2e-4, 1e-4, 1e-5, 1e-6]
NAMES = {"liblinear": "LIBLINEAR -s 0", "lbfgs": "L-BFGS", "newton-cg": "Newton-CG"}


def value_of(x, y, model, cost, solver):
    z = x @ model.coef_.T
    own = np.searchsorted(model.classes_, y)
    if solver == "liblinear":
        side = np.where(own[:, None] == np.arange(len(model.classes_))[None, :], 1.0, -1.0)
        return 0.5 * (np.sum(model.coef_**2) + np.sum(model.intercept_**2)) \
            + cost * np.logaddexp(0, -side * (z + model.intercept_)).sum()
    return 0.5 * np.sum(model.coef_**2) + cost * (logsumexp(z, axis=1) - z[np.arange(len(y)), own]).sum()


def with_ones(x):
    """Dense where most values are not zero: what the solver is fastest on."""
    ones = np.ones((x.shape[0], 1))
    if x.nnz > 0.25 * x.shape[0] * x.shape[1]:
        return np.hstack([x.toarray(), ones])
    return scipy.sparse.csr_matrix(scipy.sparse.hstack([x, ones]))


def model_for(solver, cost, tol):
    if solver == "liblinear":
        return LogisticRegression(C=cost, solver=solver, multi_class="ovr", tol=tol, max_iter=100000)
    return LogisticRegression(C=cost, solver=solver, multi_class="multinomial", tol=tol, max_iter=100000,
                              fit_intercept=False)


warnings.simplefilter("ignore")
cost, solver, goal = float(sys.argv[2]), sys.argv[3], float(sys.argv[4])
x, y = load_svmlight_file(sys.argv[1])
x = x if solver == "liblinear" else with_ones(x)
for tol in [float(sys.argv[5])] if len(sys.argv) > 5 else LADDER:
    model = model_for(solver, cost, tol)
    wall, work = time.perf_counter(), time.process_time()
    model.fit(x, y)
    wall, work = time.perf_counter() - wall, time.process_time() - work
    value = value_of(x, y, model, cost, solver)
    if value <= goal:
        break
answer(train=wall, cpu=work, primal=value, tol=tol, steps=int(np.max(model.n_iter_)),
       version=f"{NAMES[solver]} (scikit-learn {sklearn.__version__})")
