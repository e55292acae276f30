"""Gaussian C-SVMs on prepared rows (svm_data.py), as they are: training, prediction, and their answers.
    peer_svm_codes.py KIND TRAIN.npz TEST.npz RBF_GAMMA C LABELS [dual]
KIND: pairs    scikit-learn's SVC;  libsvm  LIBSVM's own Python package, sparse rows
      ova      OneVsRestClassifier(SVC)
      dense47  OutputCodeClassifier(SVC) with 47 columns
Each trains twice, the faster time counts: the first pays for pages that the system has not given before.
The predicted labels go into the file LABELS; with `dual`, the sum of the dual objectives is told too."""
import sys

import numpy as np
from peer_data import answer, timed

kind, train_path, test_path, gamma, cost, labels_path = sys.argv[1:7]
train, test = np.load(train_path), np.load(test_path)


def svc():
    from sklearn.svm import SVC
    return SVC(kernel="rbf", gamma=float(gamma), C=float(cost), cache_size=2000, tol=1e-3)


def scikit():
    import sklearn
    from sklearn.multiclass import OneVsRestClassifier, OutputCodeClassifier
    columns = 47 / len(np.unique(train["y"]))
    machine = {"pairs": svc, "ova": lambda: OneVsRestClassifier(svc()),
               "dense47": lambda: OutputCodeClassifier(svc(), code_size=columns, random_state=1)}[kind]()
    x, y, x_test = train["x"], train["y"], test["x"]
    train_seconds = min(timed(lambda: machine.fit(x, y))[0] for _ in range(2))
    predict_seconds, labels = timed(lambda: machine.predict(x_test))
    return train_seconds, predict_seconds, labels, machine, "scikit-learn " + sklearn.__version__


def libsvm():
    from libsvm.svmutil import svm_predict, svm_train
    from scipy import sparse
    x, x_test = sparse.csr_matrix(train["x"]), sparse.csr_matrix(test["x"])
    y, y_test = train["number"].astype(float), test["number"].astype(float)
    runs = [timed(lambda: svm_train(y, x, f"-q -c {cost} -g {gamma} -m 2000")) for _ in range(2)]
    train_seconds, model = min(runs, key=lambda run: run[0])
    predict_seconds, out = timed(lambda: svm_predict(y_test, x_test, model, "-q"))
    names = {number: name for number, name in zip(train["number"], train["y"])}
    labels = np.array([names[int(label)] for label in out[0]])
    return train_seconds, predict_seconds, labels, None, "libsvm-official"


def dual(machine):
    """sum over pairs of sum_i |beta_i| - 1/2 sum_i beta_i (f(x_i) - b), beta = alpha y."""
    machine.set_params(decision_function_shape="ovo")
    f = machine.decision_function(machine.support_vectors_) - machine.intercept_
    classes, column, total = len(machine.classes_), 0, 0.0
    first = np.concatenate([[0], np.cumsum(machine.n_support_)])
    for p in range(classes):
        for q in range(p + 1, classes):
            for own, row in ((p, q - 1), (q, p)):
                here = slice(first[own], first[own + 1])
                beta = machine.dual_coef_[row, here]
                total += np.abs(beta).sum() - 0.5 * beta @ f[here, column]
            column += 1
    return float(total)


train_seconds, predict_seconds, labels, machine, version = libsvm() if kind == "libsvm" else scikit()
with open(labels_path, "w") as file:
    file.write("\n".join(labels) + "\n")
answer(train=train_seconds, predict=predict_seconds, error=float(np.mean(labels != test["y"])), version=version,
       dual=dual(machine) if kind == "pairs" and "dual" in sys.argv[7:] else None)
