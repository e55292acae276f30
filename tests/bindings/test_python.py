#!/usr/bin/env python3
"""The proof in bindings/python, against the header, the library and itself.

    POLYTOMY_LIBRARY=build/libpolytomy.so tests/bindings/test_python.py

With SciPy sparse rows are tried, too. Ends with 77 without numpy."""
import os
import pickle
import re
import sys
import unittest

try:
    import numpy as np
except ImportError:
    print("there is no numpy")
    sys.exit(77)
try:
    import scipy.sparse
except ImportError:
    scipy = None

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
sys.path.insert(0, os.path.join(ROOT, "bindings/python"))
import polytomy_proof as polytomy  # noqa: E402
from polytomy_proof import c, call, read  # noqa: E402

QUICK = {"design_folds": 2, "hidden": 30, "rounds": 10, "sigma": 1, "threads": 1}


def clouds(n=60, d=3, k=3, seed=1):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % k
    return rng.normal(size=(k, d))[y] * 2 + rng.normal(size=(n, d)), y


def make(name, **given):
    """An estimator that learns quickly."""
    cls = polytomy.CLASSES[name]
    params = polytomy.make_params(dict(cls._fixed, machine=cls._machine))
    uses = dict(zip(polytomy.PARAMETERS["name"], read("params_report", params)["uses"]))
    quick = {k: v for k, v in QUICK.items() if uses[k.replace("_", "-")]}
    return cls(**dict(quick, **given))


class TheHeader(unittest.TestCase):
    def test_functions_take_as_many_arguments_as_there(self):
        with open(os.path.join(ROOT, "include/polytomy/polytomy.h")) as file:
            header = file.read()
        header = re.sub(r"/\*.*?\*/", "", header, flags=re.S)
        found = dict(re.findall(r"PT_API [^;]*?\bpt_(\w+)\(([^;]*)\);", header))
        for name, function in polytomy._c.items():
            takes = found[name].strip()
            n = 0 if takes == "void" else takes.count(",") + 1
            self.assertEqual(len(function.argtypes or []), n, name)
            self.assertEqual("pt_error *err" in takes,
                             function.argtypes[-1:] == [c.POINTER(polytomy.Error)], name)

    def test_structs_are_those_of_the_library(self):
        with self.assertRaises(polytomy.EINVAL) as caught:
            polytomy.make_params({"ridge": -1})
        self.assertIn("ridge", str(caught.exception))
        self.assertIsInstance(caught.exception, ValueError)
        with self.assertRaisesRegex(polytomy.PolytomyError, "did you mean"):
            polytomy.make_params({"rigde": 1})
        sizes = {polytomy.Error: 8 + 4 + 32 + 480 + 256 + 4 + 16, polytomy.Dense: 48,
                 polytomy.Sparse: 48, polytomy.Item: 8 + 4 + 4 + 24 + 24 + 8}
        for struct, size in sizes.items():
            self.assertEqual(c.sizeof(struct), size, struct.__name__)
        one = read("catalogue", b"learners")
        self.assertEqual(one["uses"].shape, (len(one["name"]), len(one["parameter"])))
        self.assertIn("start", polytomy.signature_of("softmax", {}))
        self.assertNotIn("start", polytomy.signature_of("onelsm", {}))

    def cells(self, X):
        data, out = polytomy.dataset(X), np.empty(X.shape)
        call("dataset_cells", data, 0, X.shape[0], polytomy.pointer(out))
        return out

    def test_cells_come_back_from_any_array(self):
        X = np.arange(24.0).reshape(4, 6) - 7
        for dtype in polytomy.TYPES + [np.int16, np.uint8, bool, object, ">f8"]:
            Y = X.astype(dtype)
            for view in (Y, np.asfortranarray(Y), Y[::-1], Y[:, ::2], Y[1:, 1:].T, Y[:1],
                         np.broadcast_to(Y[0, 3], (2, 3))):
                np.testing.assert_array_equal(self.cells(view), view.astype(float))
        X[1, 2] = np.nan
        np.testing.assert_array_equal(self.cells(X), X)

    @unittest.skipUnless(scipy, "SciPy")
    def test_cells_come_back_from_sparse_rows(self):
        X = np.array([[0, 1.5, 0], [0, 0, 0], [2, 0, -3]])
        for kind in ("csr", "csc", "coo"):
            for dtype in (np.float32, np.float64, np.int64):
                S = scipy.sparse.csr_matrix(X.astype(dtype)).asformat(kind)
                np.testing.assert_array_equal(self.cells(S), S.toarray())
                wide = S.tocsr()
                wide.indices = wide.indices.astype(np.int64)
                np.testing.assert_array_equal(self.cells(wide), S.toarray())
        twice = scipy.sparse.csr_matrix(([1.0, 2.0], [1, 1], [0, 2, 2]), shape=(2, 3))
        np.testing.assert_array_equal(self.cells(twice), [[0, 3, 0], [0, 0, 0]])


class Estimators(unittest.TestCase):
    def test_every_machine_learns_predicts_and_is_pickled(self):
        X, y = clouds()
        y = np.array(["a", "b,=", ""])[y]
        for name in polytomy.CLASSES:
            with self.subTest(name):
                fitted = make(name).fit(X, y)
                scores = fitted.decision_function(X)
                labels = fitted.predict(X)
                proba = fitted.predict_proba(X)
                self.assertEqual(list(fitted.classes_), sorted(set(y)))
                self.assertEqual(scores.shape, (60, 3))
                np.testing.assert_array_equal(labels, fitted.classes_[scores.argmax(1)])
                np.testing.assert_allclose(proba.sum(1), 1)
                self.assertGreater(fitted.score(X, y), 0.6)
                again = pickle.loads(pickle.dumps(fitted))
                np.testing.assert_array_equal(again.decision_function(X), scores)
                score = again.scorer()
                for i in range(0, 60, 7):
                    label, alone = score(X[i])
                    self.assertEqual(label, labels[i])
                    np.testing.assert_array_equal(alone, scores[i])
                self.assertIn("metadata", fitted.arrays())

    def test_two_classes_have_one_score(self):
        X, y = clouds(k=2)
        fitted = make("onelsm").fit(X, y * 5)
        scores = fitted.decision_function(X)
        self.assertEqual(scores.shape, (60,))
        np.testing.assert_array_equal(fitted.predict(X), np.where(scores > 0, 5, 0))

    @unittest.skipUnless(scipy, "SciPy")
    def test_sparse_rows_are_the_same_rows(self):
        X, y = clouds()
        X = np.where(np.abs(X) < 1, 0, X)
        for name in ("softmax", "onelsm", "tree"):
            how = dict(scale="none", threads=1)
            how |= dict(kernel="linear", ridge=1) if name == "onelsm" else {}
            dense = polytomy.CLASSES[name](**how).fit(X, y)
            sparse = polytomy.CLASSES[name](**how).fit(scipy.sparse.csr_matrix(X), y)
            np.testing.assert_allclose(sparse.decision_function(X), dense.decision_function(X),
                                       rtol=1e-4, atol=1e-4)

    def test_a_weight_is_repeated_rows(self):
        X, y = clouds()
        weight = np.arange(60) % 4
        for name in ("onelsm", "spoc", "softmax", "tree", "all-pairs"):
            weighted = make(name).fit(X, y, sample_weight=weight)
            repeated = make(name).fit(np.repeat(X, weight, 0), np.repeat(y, weight))
            np.testing.assert_array_equal(weighted.decision_function(X),
                                          repeated.decision_function(X))

    def test_class_weights(self):
        X, y = clouds()
        y = np.array(["x", "y", "z"])[y]
        plain = make("softmax").fit(X, y)
        heavy = make("softmax", class_weight={"y": 50.0}).fit(X, y)
        self.assertGreater((heavy.predict(X) == "y").sum(), (plain.predict(X) == "y").sum())
        by_rows = make("softmax").fit(X, y, sample_weight=np.where(y == "y", 50.0, 1.0))
        np.testing.assert_allclose(heavy.decision_function(X), by_rows.decision_function(X),
                                   atol=1e-6)
        balanced = make("softmax", class_weight="balanced").fit(X[:50], y[:50])
        self.assertEqual(balanced.get_params()["class_weight"], "balanced")

    def test_warnings_have_a_category(self):
        with self.assertWarnsRegex(polytomy.ConvergenceWarning, "gap"):
            make("spoc", gap=1e-15, C=1000, calibrate=False).fit(*clouds())

    def test_sets(self):
        X, y = clouds(n=90)
        Y = np.stack([y == 0, y > 0, X[:, 0] > 0], 1).astype(int)
        for name in [n for n, k in zip(polytomy.MACHINES["name"], polytomy.MACHINES["sets"]) if k]:
            with self.subTest(name):
                fitted = make(name).fit(X, Y)
                self.assertGreater((fitted.predict(X) == Y).mean(), 0.75)
                self.assertEqual(fitted.predict_proba(X).shape, Y.shape)
                self.assertEqual(fitted.decision_function(X).shape, Y.shape)

    def test_arguments_are_those_of_the_catalogue(self):
        self.assertIn("ridge", polytomy.Onelsm()._names)
        self.assertNotIn("C", polytomy.Onelsm()._names)
        self.assertIn("eps", polytomy.AllPairs()._names)
        self.assertNotIn("rounds", polytomy.AllPairs()._names)
        self.assertEqual(polytomy.Softmax()._names["bias"], "yes")
        self.assertEqual(polytomy.AllPairs()._names["decode"], "hinge")
        self.assertIn("ridge: regularisation", polytomy.Onelsm.__doc__)
        with self.assertRaises(TypeError):
            polytomy.Onelsm(C=1)
        with self.assertRaises(ValueError):
            make("onelsm").predict(np.zeros((2, 3)))
        with self.assertRaises(polytomy.PolytomyError):
            make("onelsm", kernel="nonsense").fit(*clouds())
        with self.assertRaises(polytomy.EMEMORY):
            make("onelsm", memory=1000).fit(*clouds(n=2000))


if __name__ == "__main__":
    unittest.main(verbosity=1)
