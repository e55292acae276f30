"""One epoch of scikit-learn's online learners, one-vs-all, on data in memory.

    peer_online.py TRAIN.svm TEST.svm sparse|dense

Perceptron, and SGDClassifier with the losses perceptron and hinge; max_iter = 1, tol = None, else as they come. Processor
seconds of fit, and the share of test rows that are wrong. The rows are kept beside TRAIN.svm as arrays: reading is not timed.
"""
import os
import sys
import time
import warnings

import numpy as np
import scipy.sparse
import sklearn
from peer_data import answer
from sklearn.datasets import load_svmlight_file
from sklearn.linear_model import Perceptron, SGDClassifier

ONCE = {"max_iter": 1, "tol": None, "random_state": 0}
LEARNERS = {"Perceptron": lambda: Perceptron(**ONCE),
            "SGDClassifier, perceptron": lambda: SGDClassifier(loss="perceptron", **ONCE),
            "SGDClassifier, hinge": lambda: SGDClassifier(loss="hinge", **ONCE)}


def load(path, width=None):
    kept = path + ".npz"
    if not os.path.exists(kept) or os.path.getmtime(kept) < os.path.getmtime(path):
        x, y = load_svmlight_file(path, n_features=width)
        np.savez(kept, data=x.data, indices=x.indices, indptr=x.indptr, shape=x.shape, y=y)
    with np.load(kept) as f:
        return scipy.sparse.csr_matrix((f["data"], f["indices"], f["indptr"]), shape=tuple(f["shape"])), f["y"]


warnings.simplefilter("ignore")
x, y = load(sys.argv[1])
x_test, y_test = load(sys.argv[2], x.shape[1])
if sys.argv[3] == "dense":
    x = x.toarray()
found = {}
for name, make in LEARNERS.items():
    model = make()
    work = time.process_time()
    model.fit(x, y)
    found[name] = {"cpu": time.process_time() - work, "error": float(np.mean(model.predict(x_test) != y_test))}
answer(learners=found, version=f"scikit-learn {sklearn.__version__}")
