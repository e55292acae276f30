"""LIBSVM's own Python package, the machine most people would pick: training and prediction of a
Gaussian C-SVM, all pairs.
    peer_svm.py TRAIN.csv TEST.csv RBF_GAMMA C"""
import sys

import numpy as np
from libsvm.svmutil import svm_predict, svm_train
from peer_data import answer, read, scaler, timed
from scipy import sparse

train_path, test_path, gamma, cost = sys.argv[1:5]
x, y = read(train_path)
x_test, y_test = read(test_path)
scale = scaler(x)
classes = np.unique(y)
x, x_test = sparse.csr_matrix(scale(x)), sparse.csr_matrix(scale(x_test))
y, y_test = np.searchsorted(classes, y).astype(float), np.searchsorted(classes, y_test).astype(float)

train_seconds, model = timed(lambda: svm_train(y, x, f"-q -c {cost} -g {gamma} -m 2000"))
predict_seconds, out = timed(lambda: svm_predict(y_test, x_test, model, "-q"))
answer(train=train_seconds, predict=predict_seconds, error=float(np.mean(np.array(out[0]) != y_test)),
       version="libsvm-official")
