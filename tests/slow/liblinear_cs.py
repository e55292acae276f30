"""The primal value that LIBLINEAR -s 4 (Crammer and Singer) comes to without a bias: liblinear_cs.py FILE.csv C."""
import sys

import numpy as np
from sklearn.svm import LinearSVC

cells = np.loadtxt(sys.argv[1], delimiter=",", dtype=str)
x, (classes, y) = cells[:, :-1].astype(float), np.unique(cells[:, -1], return_inverse=True)
cost = float(sys.argv[2])
W = LinearSVC(multi_class="crammer_singer", fit_intercept=False, C=cost, tol=1e-6, random_state=0).fit(x, y).coef_
margin = x @ W.T
margin += 1 - margin[np.arange(len(y)), y][:, None]
margin[np.arange(len(y)), y] = 0
print(repr(0.5 * np.sum(W**2) + cost * margin.max(axis=1).sum()))
