"""LIBLINEAR's own Python package: the Crammer-Singer linear machine (-s 4).
    peer_linear.py TRAIN.csv TEST.csv C"""
import sys

import numpy as np
from liblinear.liblinearutil import predict, train
from peer_data import answer, read, scaler, timed
from scipy import sparse

train_path, test_path, cost = sys.argv[1:4]
x, y = read(train_path)
x_test, y_test = read(test_path)
scale = scaler(x)
classes = np.unique(y)
x, x_test = sparse.csr_matrix(scale(x)), sparse.csr_matrix(scale(x_test))
y, y_test = np.searchsorted(classes, y).astype(float), np.searchsorted(classes, y_test).astype(float)

train_seconds, model = timed(lambda: train(y, x, f"-q -s 4 -c {cost} -B 1"))
predict_seconds, out = timed(lambda: predict(y_test, x_test, model, "-q"))
answer(train=train_seconds, predict=predict_seconds, error=float(np.mean(np.array(out[0]) != y_test)),
       version="liblinear-official")
