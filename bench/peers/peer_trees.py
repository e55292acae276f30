"""scikit-learn's decision tree on prepared rows (svm_data.py): training, prediction, error.
    peer_trees.py TRAIN.npz TEST.npz CRITERION
Trained three times, the median counts, as it does for ours; float32 rows, which it need not convert."""
import statistics
import sys

import numpy as np
import sklearn
from peer_data import answer, timed
from sklearn.tree import DecisionTreeClassifier

train, test = np.load(sys.argv[1]), np.load(sys.argv[2])
x, x_test = train["x"].astype(np.float32), test["x"].astype(np.float32)
tree = DecisionTreeClassifier(criterion=sys.argv[3], random_state=1)
seconds = statistics.median(timed(lambda: tree.fit(x, train["y"]))[0] for _ in range(3))
predict, labels = timed(lambda: tree.predict(x_test))
answer(train=seconds, predict=predict, error=float(np.mean(labels != test["y"])), leaves=int(tree.get_n_leaves()),
       version="scikit-learn " + sklearn.__version__)
