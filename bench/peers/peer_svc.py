"""scikit-learn's SVC (LIBSVM inside, on dense rows): training, prediction and test error of a Gaussian
C-SVM, all pairs.
    peer_svc.py TRAIN.csv TEST.csv RBF_GAMMA C"""
import sys

import numpy as np
import sklearn
from peer_data import answer, read, scaler, timed
from sklearn.svm import SVC

train_path, test_path, gamma, cost = sys.argv[1:5]
x, y = read(train_path)
x_test, y_test = read(test_path)
scale = scaler(x)
x, x_test = scale(x), scale(x_test)

machine = SVC(kernel="rbf", gamma=float(gamma), C=float(cost), cache_size=2000)
train_seconds, _ = timed(lambda: machine.fit(x, y))
predict_seconds, labels = timed(lambda: machine.predict(x_test))
answer(train=train_seconds, predict=predict_seconds, error=float(np.mean(labels != y_test)),
       version="scikit-learn " + sklearn.__version__ + " SVC")
