"""scikit-learn's AdaBoost on stumps, one against all, on prepared rows (svm_data.py): training, prediction, error.
    peer_stumps.py TRAIN.npz TEST.npz ROUNDS
float32 rows, which its trees need not convert; one thread."""
import sys
import warnings

import numpy as np
import sklearn
from peer_data import answer, timed
from sklearn.ensemble import AdaBoostClassifier
from sklearn.multiclass import OneVsRestClassifier

warnings.filterwarnings("ignore", category=FutureWarning)
train, test = np.load(sys.argv[1]), np.load(sys.argv[2])
x, x_test = train["x"].astype(np.float32), test["x"].astype(np.float32)
model = OneVsRestClassifier(AdaBoostClassifier(n_estimators=int(sys.argv[3]), random_state=1))
seconds, _ = timed(lambda: model.fit(x, train["y"]))
predict, labels = timed(lambda: model.predict(x_test))
answer(train=seconds, predict=predict, error=float(np.mean(labels != test["y"])),
       version="scikit-learn " + sklearn.__version__)
