"""Reading text: pandas' C reader, or scikit-learn's load_svmlight_file.
    peer_read.py csv|libsvm FILE"""
import sys

from peer_data import answer, timed

kind, path = sys.argv[1:3]
if kind == "csv":
    import pandas
    seconds, _ = timed(lambda: pandas.read_csv(path, header=None, engine="c"))
    answer(read=seconds, version="pandas " + pandas.__version__)
else:
    import sklearn
    from sklearn.datasets import load_svmlight_file
    seconds, _ = timed(lambda: load_svmlight_file(path))
    answer(read=seconds, version="scikit-learn " + sklearn.__version__)
