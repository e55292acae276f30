"""Polytomy from Python: a proof that the C API carries estimators as scikit-learn has them.

One file over the public header and numpy; scikit-learn is used where it is there. Classes, their
arguments, defaults and help are generated from the library's own tables.

    from polytomy_proof import Onelsm, estimator
    Onelsm(ridge=0.1).fit(X, y).predict(X)
    Pairs = estimator("code", code="ovo", learner="svm")

The library is POLYTOMY_LIBRARY, or what the loader finds."""
import ctypes as c
import ctypes.util
import inspect
import os
import warnings

import numpy as np

try:
    import sklearn
    from sklearn.base import BaseEstimator, ClassifierMixin
    from sklearn.exceptions import ConvergenceWarning, NotFittedError
    from sklearn.utils.multiclass import check_classification_targets, type_of_target
    from sklearn.utils.validation import _check_sample_weight, column_or_1d
    new = tuple(map(int, sklearn.__version__.split(".")[:2])) >= (1, 6)
    if new:
        from sklearn.utils.validation import validate_data
except ImportError:
    sklearn = None
    ConvergenceWarning, NotFittedError = UserWarning, ValueError

    class BaseEstimator:
        def get_params(self, deep=True):
            return {name: getattr(self, name) for name in self._names}

        def set_params(self, **given):
            for name in given:
                setattr(self, name, given[name])
            return self

    class ClassifierMixin:
        def score(self, X, y, sample_weight=None):
            right = self.predict(X) == np.asarray(y)
            return np.average(right if right.ndim == 1 else right.all(1), weights=sample_weight)

# ---- the library: structs and functions as in polytomy.h -----------------------------------------

P, S, L, I, D, Z = c.c_void_p, c.c_char_p, c.c_int64, c.c_int, c.c_double, c.c_size_t


class Error(c.Structure):
    _fields_ = [("size", Z), ("code", I), ("param", c.c_char * 32), ("text", c.c_char * 480),
                ("file", c.c_char * 256), ("line", L), ("column", L)]


class Item(c.Structure):
    _fields_ = [("name", S), ("type", I), ("n_axes", I), ("length", L * 3), ("axis", S * 3),
                ("values", P)]


class Dense(c.Structure):
    _fields_ = [("type", I), ("values", P), ("n_rows", L), ("n_columns", L), ("row_stride", L),
                ("column_stride", L)]


class Sparse(c.Structure):
    _fields_ = [("type", I), ("index_type", I), ("start", P), ("index", P), ("values", P),
                ("n_rows", L), ("n_columns", L)]


TYPES = [np.float32, np.float64, np.int64, np.int32, np.int8]  # pt_type, and texts behind them
BORROW = 1  # pt_hold
CATEGORIES = {"convergence": ConvergenceWarning}  # of warnings, by kind
lib = c.CDLL(os.environ.get("POLYTOMY_LIBRARY") or ctypes.util.find_library("polytomy"))
# Functions, what they return ("!" a status, a pt_error coming last; "-" nothing), what they take.
FUNCTIONS = """
version S | status_name S I | bytes_free - P | report_free - P | report_n_items L P
report_item P PL | catalogue ! PS | params_new ! P | params_free - P | params_set ! PSS
params_set_number ! PSD | params_report ! PP | dataset_from_dense ! PPI | dataset_free - P
dataset_from_sparse ! PPI | dataset_set_classes ! PIPPL | dataset_set_names ! PP
dataset_set_label_items ! PSPLPPP | dataset_set_role ! PSP | dataset_cells ! PLLP | task_new ! P
task_free - P | task_set_params - PP | model_train ! PPPP | model_free - P | model_label_kind S P
model_report ! PP | model_arrays ! PP | model_save_memory ! PPP | model_load_memory ! PPZP
model_predict ! PPPLP | prediction_free - P | prediction_labels P P | prediction_scores P P
prediction_proba ! PP | scorer_new ! PPP | scorer_free - P | scorer_f64 ! PPPPP
"""
_c = {}
for _line in FUNCTIONS.strip().replace("\n", " | ").split(" | "):
    _name, _returns, *_takes = _line.split()
    _c[_name] = getattr(lib, "pt_" + _name)
    _c[_name].restype = {"!": I, "-": None}.get(_returns) or globals().get(_returns)
    _c[_name].argtypes = [globals()[letter] for letter in "".join(_takes)]
    _c[_name].argtypes += [c.POINTER(Error)] * (_returns == "!")


class PolytomyError(Exception):
    """What the library says; `param` is the parameter to look at, or ''."""
    param = file = ""


_LIKE = {"EINVAL": ValueError, "EFORMAT": ValueError, "ENOMEM": MemoryError, "EMEMORY": MemoryError,
         "EIO": OSError, "ENUMERIC": ArithmeticError, "ENOSUPPORT": NotImplementedError,
         "ETIME": TimeoutError}
errors = {}  # one class for each status: errors["EINVAL"] is also a ValueError
for _code in range(1, 64):
    _name = _c["status_name"](_code).decode().removeprefix("PT_")
    if _name == "UNKNOWN":
        break
    errors[_name] = type(_name, (PolytomyError, _LIKE.get(_name, RuntimeError)), {})
globals().update(errors)  # pickle looks for them here


def call(function, *arguments):
    """A function that returns a status; what it refuses is raised."""
    err = Error(size=c.sizeof(Error))
    if _c[function](*arguments, c.byref(err)):
        kind = errors[_c["status_name"](err.code).decode().removeprefix("PT_")]
        raised = kind(err.text.decode())
        raised.param, raised.file = err.param.decode(), err.file.decode()
        raise raised


__version__ = _c["version"]().decode()


class Handle:
    """An object of the library, freed with the last reference; `keep` lives as long."""

    def __init__(self, kind, make, *arguments, keep=None):
        self.kind, self.keep, self.pointer = kind, keep, P()
        call(make, c.byref(self.pointer), *arguments)
        self._as_parameter_ = self.pointer

    def __del__(self, free=_c):
        if self.pointer:
            free[self.kind + "_free"](self.pointer)


def view(pointer, dtype, *shape):
    """The numbers at `pointer`, copied."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    return np.frombuffer(c.string_at(pointer, size), dtype=dtype).reshape(shape).copy()


def read(make, *arguments):
    """A report as a dict: numbers, texts, arrays, lists of texts."""
    report, result = Handle("report", make, *arguments), {}
    for i in range(_c["report_n_items"](report)):
        item = Item.from_address(_c["report_item"](report, i))
        shape, count = item.length[:item.n_axes], int(np.prod(item.length[:item.n_axes]))
        if item.type == len(TYPES):
            texts = (S * count).from_address(item.values) if count else []
            value = np.array([t if t is None else t.decode() for t in texts], object).reshape(shape)
        else:
            value = view(item.values, TYPES[item.type], *shape)
        result[item.name.decode()] = value if item.n_axes else value[()]
    return result


# ---- what there is -------------------------------------------------------------------------------

PARAMETERS, MACHINES = read("catalogue", b"parameters"), read("catalogue", b"machines")
MACHINES["sets"] = ["set" in labels.split(",") for labels in MACHINES["labels"]]


def about(machine, what, table=MACHINES):
    return table[what][list(table["name"]).index(machine)]


def signature_of(machine, fixed):
    """The parameters that may count for a machine, with what they are where they are not set."""
    uses = about(machine, "uses").astype(bool)
    for registry, name in (("learners", fixed.get("learner")), ("codes", fixed.get("code"))):
        if name:  # what only others of its kind use is left out
            table = read("catalogue", registry.encode())
            uses &= (about(name, "uses", table) == 1) | ~table["uses"].any(0)
    default = read("params_report", make_params(dict(fixed, machine=machine)))["default"]
    common = np.isin(PARAMETERS["group"].astype(str), ["prepare", "model", "run"])
    uses |= common & (PARAMETERS["name"] != "start")  # which says itself who can
    return {name.replace("-", "_"): standard
            for name, use, standard in zip(PARAMETERS["name"], uses, default)
            if use and name not in fixed}


def make_params(given):
    params = Handle("params", "params_new")
    for name, value in given.items():
        name = name.replace("_", "-").encode()
        if isinstance(value, (bool, np.bool_)):
            value = "yes" if value else "no"
        if isinstance(value, (int, float, np.number)):
            call("params_set_number", params, name, value)
        else:
            call("params_set", params, name, str(value).encode())
    return params


# ---- data ----------------------------------------------------------------------------------------

def pointer(array):
    return None if array is None else array.ctypes.data_as(P)


def texts(values):
    values = [str(v).encode() for v in values]
    return (S * len(values))(*values)


def dataset(X):
    """X, looked at where it is wherever the library can read it: any strides, CSR of any index."""
    if hasattr(X, "tocsr"):
        X = X.tocsr()
        if not X.has_canonical_format:
            X = X.copy()
            X.sum_duplicates()
        index = np.int32 if X.indices.dtype == X.indptr.dtype == np.int32 else np.int64
        dtype = X.dtype if X.dtype in TYPES[:2] else np.float64
        arrays = [np.ascontiguousarray(values, t)
                  for values, t in ((X.indptr, index), (X.indices, index), (X.data, dtype))]
        how = Sparse(TYPES.index(dtype), TYPES.index(index), *map(pointer, arrays), *X.shape)
        return Handle("dataset", "dataset_from_sparse", c.byref(how), BORROW, keep=arrays)
    X = np.asarray(X)
    if X.dtype not in TYPES or any(s == 0 or s % X.itemsize for s in X.strides):
        X = np.ascontiguousarray(X, dtype=np.float64)
    how = Dense(TYPES.index(X.dtype), pointer(X), *X.shape, *(s // X.itemsize for s in X.strides))
    return Handle("dataset", "dataset_from_dense", c.byref(how), BORROW, keep=X)


# ---- estimators ----------------------------------------------------------------------------------

def checked(self, X, *y, reset=False):
    """X, and y where there is one, as scikit-learn's rules want them."""
    if sklearn is None:
        X = X if hasattr(X, "tocsr") else np.asarray(X)
        return (X, np.asarray(y[0])) if y else X
    how = dict(dtype=TYPES[:2], reset=reset, accept_sparse="csr" if self._can("sparse") else False)
    how |= {"y": y[0], "multi_output": self._can("sets")} if y else {}
    if new:
        return validate_data(self, X, ensure_all_finite="allow-nan", **how)
    return self._validate_data(X, force_all_finite="allow-nan", **how)


class Model:
    """A trained model; its bytes are what is pickled."""

    def __init__(self, saved, handle=None):
        self.handle = handle or Handle("model", "model_load_memory", saved, len(saved), None)

    def __reduce__(self):
        block, size = P(), Z()
        call("model_save_memory", c.byref(block), c.byref(size), self.handle)
        saved = c.string_at(block, size.value)
        _c["bytes_free"](block)
        return Model, (saved,)


class Scorer:
    """One row after the other, without a data set: row -> (class, scores)."""

    def __init__(self, model, classes, order):
        n = L()
        self.handle = Handle("scorer", "scorer_new", model.handle, c.byref(n), keep=model)
        self.row, self.scores, self.label = np.empty(n.value), np.empty(len(order)), L()
        self.places = pointer(self.row), pointer(self.scores), None, c.byref(self.label)
        self.classes, self.order = classes, order

    def __call__(self, row):
        self.row[:] = row
        call("scorer_f64", self.handle, *self.places)
        return self.classes[self.label.value], self.scores[self.order]


class Estimator(ClassifierMixin, BaseEstimator):
    def _can(self, what):
        return bool(about(self._machine, what))

    def _more_tags(self):
        return {"allow_nan": True, "multilabel": self._can("sets")}

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse, tags.input_tags.allow_nan = self._can("sparse"), True
        tags.classifier_tags.multi_label = self._can("sets")
        return tags

    def _params(self, names):
        given = {name: getattr(self, name) for name in self._names}
        weight = given.get("class_weight")
        if isinstance(weight, dict):  # of classes by their names
            known = dict(zip(self.classes_, names))
            given["class_weight"] = ",".join(f"{known.get(k, k)}={v!r}" for k, v in weight.items())
        given = {k: v for k, v in given.items() if v is not None}
        return make_params(dict(given, machine=self._machine, **self._fixed))

    def _set_labels(self, data, y):
        if y.ndim == 2 and self._can("sets") and (not sklearn or type_of_target(y) != "multiclass"):
            self.classes_ = np.arange(y.shape[1])
            names, members = list(self.classes_), [np.flatnonzero(row) for row in y]
            start = np.cumsum([0] + [len(m) for m in members], dtype=np.int64)
            items = np.concatenate(members).astype(np.int64)
            call("dataset_set_label_items", data, b"set", texts(names), len(names), pointer(start),
                 pointer(items), None)
            return names
        if sklearn:
            y = column_or_1d(y, warn=True)
            check_classification_targets(y)
        self.classes_, code = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(f"y has one class, {self.classes_[0]!r}; training needs two")
        names = [str(k) for k in self.classes_]
        names = names if len(set(names)) == len(names) else [repr(k) for k in self.classes_]
        code = np.ascontiguousarray(code, dtype=np.int32)
        call("dataset_set_classes", data, TYPES.index(np.int32), pointer(code), texts(names),
             len(names))
        return names

    def fit(self, X, y, sample_weight=None):
        X, y = checked(self, X, y, reset=True)
        data = dataset(X)
        names = self._set_labels(data, y)
        if sample_weight is not None:
            weight = _check_sample_weight(sample_weight, X) if sklearn else sample_weight
            weight = np.ascontiguousarray(weight, np.float64)
            how = Dense(TYPES.index(np.float64), pointer(weight), len(weight), 1, 1, 1)
            call("dataset_set_role", data, b"weight", c.byref(how))
        if hasattr(self, "feature_names_in_"):
            call("dataset_set_names", data, texts(self.feature_names_in_))
        params, task = self._params(names), Handle("task", "task_new")
        _c["task_set_params"](task, params)
        self.model_ = Model(None, Handle("model", "model_train", data, params, task))
        report = read("model_report", self.model_.handle)
        for text, kind in zip(report.get("warning", []), report.get("warning_kind", ())):
            warnings.warn(text, CATEGORIES.get(kind, UserWarning), 2)
        place = {str(name): i for i, name in enumerate(names)}
        self._of_model = np.array([place[name] for name in report["class"]])
        self._order = np.argsort(self._of_model)  # the model's classes as classes_ has them
        if len(place) > len(self._of_model):  # some had no weight, or no row
            self.classes_ = self.classes_[np.sort(self._of_model)]
            self._of_model = np.argsort(self._order)
        return self

    def _predict(self, X):
        if not hasattr(self, "model_"):
            raise NotFittedError(f"this {type(self).__name__} is not fitted: call fit first")
        X = checked(self, X)
        handles = self.model_.handle, dataset(X)
        return Handle("prediction", "model_predict", *handles, -1, None), X.shape[0]

    def _sets(self):
        return _c["model_label_kind"](self.model_.handle) == b"set"

    def decision_function(self, X):
        prediction, n = self._predict(X)
        scores = view(_c["prediction_scores"](prediction), np.float64, n, len(self._order))
        scores = scores[:, self._order]
        return scores if self._sets() or len(self._order) != 2 else scores[:, 1] - scores[:, 0]

    def predict(self, X):
        if hasattr(self, "model_") and self._sets():
            return (self.decision_function(X) > 0).astype(int)
        prediction, n = self._predict(X)
        labels = view(_c["prediction_labels"](prediction), np.int64, n)
        return self.classes_[self._of_model[labels]]

    def predict_proba(self, X):
        prediction, n = self._predict(X)
        proba = np.empty((n, len(self._order)))
        call("prediction_proba", prediction, pointer(proba))
        return proba[:, self._order]

    def scorer(self):
        return Scorer(self.model_, self.classes_[self._of_model], self._order)

    def arrays(self):
        """All that was fitted, by name: docs/model-file.md."""
        return read("model_arrays", self.model_.handle)


def estimator(machine, name=None, **fixed):
    """The class of a machine; parameters that are given here are not its arguments."""
    names = signature_of(machine, fixed)

    def __init__(self, **given):
        for unknown in given.keys() - names.keys():
            raise TypeError(f"{type(self).__name__} has no parameter {unknown!r}")
        for argument in names:
            setattr(self, argument, given.get(argument))

    arguments = [inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)]
    arguments += [inspect.Parameter(n, inspect.Parameter.KEYWORD_ONLY, default=None) for n in names]
    __init__.__signature__ = inspect.Signature(arguments)
    words = [f"{n}: {about(n.replace('_', '-'), 'help', PARAMETERS)} [{standard}]"
             for n, standard in names.items()]
    return type(name or machine.title().replace("-", ""), (Estimator,),
                {"__init__": __init__, "__doc__": "\n".join([about(machine, "summary"), *words]),
                 "_names": names, "_machine": machine, "_fixed": fixed, "__module__": __name__})


CLASSES = {machine: estimator(machine) for machine in MACHINES["name"]}
CLASSES["all-pairs"] = estimator("code", "AllPairs", code="ovo", learner="svm")
globals().update({cls.__name__: cls for cls in CLASSES.values()})
