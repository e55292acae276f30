"""GridSearchCV over KernelRidge on +-1 targets with stratified folds, 9 x 9 points, two jobs.
    peer_grid_search.py TRAIN.csv FOLDS JOBS"""
import sys

import numpy as np
import sklearn
from peer_data import answer, read, scaler, targets, timed
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import GridSearchCV, StratifiedKFold

path, folds, jobs = sys.argv[1:4]
x, y = read(path)
x = scaler(x)(x)
classes, codes = targets(y)


def accuracy(machine, x_out, codes_out):
    return np.mean(machine.predict(x_out).argmax(axis=1) == codes_out.argmax(axis=1))


powers = 2.0 ** np.arange(-4, 5)
grid = {"gamma": 1 / (2 * powers**2), "alpha": powers}
parts = list(StratifiedKFold(int(folds), shuffle=True, random_state=1).split(x, y))
search = GridSearchCV(KernelRidge(kernel="rbf"), grid, cv=parts, n_jobs=int(jobs), scoring=accuracy,
                      refit=False)
seconds, _ = timed(lambda: search.fit(x, codes))
answer(search=seconds, error=1 - float(search.best_score_),
       version="scikit-learn " + sklearn.__version__)
