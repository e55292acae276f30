"""scikit-learn's KernelRidge on +-1 targets: training, prediction and test error.
    peer_kernel_ridge.py TRAIN.csv TEST.csv RBF_GAMMA RIDGE"""
import sys

import numpy as np
import sklearn
from peer_data import answer, read, scaler, targets, timed
from sklearn.kernel_ridge import KernelRidge

train_path, test_path, gamma, ridge = sys.argv[1:5]
x, y = read(train_path)
x_test, y_test = read(test_path)
scale = scaler(x)
x, x_test = scale(x), scale(x_test)
classes, codes = targets(y)

machine = KernelRidge(kernel="rbf", gamma=float(gamma), alpha=float(ridge))
train_seconds, _ = timed(lambda: machine.fit(x, codes))
predict_seconds, scores = timed(lambda: machine.predict(x_test))
error = float(np.mean(classes[scores.argmax(axis=1)] != y_test))
answer(train=train_seconds, predict=predict_seconds, error=error,
       version="scikit-learn " + sklearn.__version__)
