#!/usr/bin/env python3
"""Conformal sets, least-cost decisions and thresholds on splits of real data. See PLAN.md."""
import csv
import ctypes
import gzip
import os
import sys

import numpy as np

LIB = ctypes.CDLL(os.environ["POLYTOMY_LIBRARY"])
DATA = os.environ["POLYTOMY_DATA"]
SPLITS = int(os.environ.get("SPLITS", "200"))
P = ctypes.c_void_p
COVERAGES = (0.8, 0.9, 0.95, 0.99)


class Error(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("code", ctypes.c_int), ("param", ctypes.c_char * 32),
                ("text", ctypes.c_char * 480), ("file", ctypes.c_char * 256),
                ("line", ctypes.c_int64), ("column", ctypes.c_int64)]


class Dense(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("values", P), ("n_rows", ctypes.c_int64),
                ("n_columns", ctypes.c_int64), ("row_stride", ctypes.c_int64),
                ("column_stride", ctypes.c_int64)]


class Item(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("type", ctypes.c_int), ("n_axes", ctypes.c_int),
                ("length", ctypes.c_int64 * 3), ("axis", ctypes.c_char_p * 3), ("values", P)]


def call(name, *arguments):
    err = Error(size=ctypes.sizeof(Error))
    if getattr(LIB, "pt_" + name)(*arguments, ctypes.byref(err)) != 0:
        raise RuntimeError(f"{name}: {err.text.decode()}")


def free(name, handle):
    function = getattr(LIB, f"pt_{name}_free")
    function.restype = None
    function(handle)


def params(text):
    p = P()
    call("params_new", ctypes.byref(p))
    call("params_parse", p, text.encode())
    return p


def read(name, sets):
    """Rows and labels of both parts of a set; labels are names, or truth tables."""
    x, y = [], []
    for part in ("train", "test"):
        path = f"{DATA}/{name}/{part}.csv.gz"
        if not os.path.exists(path):
            continue
        with gzip.open(path, "rt") as file:
            rows = list(csv.reader(file))
        first = next(c for c, field in enumerate(rows[0]) if field.startswith("label_")) if sets else -1
        x += [[float(cell) for cell in row[:first]] for row in rows[1:]]
        y += [row[first:] for row in rows[1:]] if sets else [row[-1] for row in rows[1:]]
    return np.array(x), (np.array(y).astype(float) > 0 if sets else np.array(y))


def dataset(x, y):
    x = np.ascontiguousarray(x)
    data = P()
    call("dataset_from_dense", ctypes.byref(data),
         ctypes.byref(Dense(1, x.ctypes.data, *x.shape, 0, 0)), 0)
    if y.ndim == 2:
        cells = [";".join(f"c{r:03d}" for r in np.flatnonzero(row)).encode() for row in y]
        call("dataset_set_label_cells", data, b"set", (ctypes.c_char_p * len(cells))(*cells))
    else:
        codes = np.ascontiguousarray(y, np.int64)
        call("dataset_set_classes", data, 2, codes.ctypes.data_as(P), None, ctypes.c_int64(0))
    return data


class Model:
    """Trained on rows; `classes` says which of the labels each of its classes is."""

    def __init__(self, x, y, options):
        data, p, self.handle = dataset(x, y), params(options), P()
        call("model_train", ctypes.byref(self.handle), data, p, None)
        free("dataset", data)
        free("params", p)
        LIB.pt_model_n_classes.restype = ctypes.c_int64
        LIB.pt_model_class_name.restype = ctypes.c_char_p
        self.k = LIB.pt_model_n_classes(self.handle)
        names = [LIB.pt_model_class_name(self.handle, ctypes.c_int64(r)).decode() for r in range(self.k)]
        self.classes = np.array([int(name.lstrip("c")) for name in names])

    def chosen(self, name):
        LIB.pt_model_param.restype = ctypes.c_char_p
        return LIB.pt_model_param(self.handle, name.encode()).decode()

    def predict(self, x):
        data, p = dataset(x, np.zeros(len(x))), P()
        call("model_predict", ctypes.byref(p), self.handle, data, ctypes.c_int64(-1), None)
        free("dataset", data)
        return p, len(x)

    def proba(self, prediction):
        p, n = prediction
        out = np.empty((n, self.k))
        call("prediction_proba", p, out.ctypes.data_as(P))
        return out

    def held_out(self):
        """Scores of held-out rows, ascending, and their classes (of sets: None)."""
        report = P()
        call("model_arrays", ctypes.byref(report), self.handle)
        LIB.pt_report_find.restype = ctypes.POINTER(Item)
        found = []
        for name, kind in ((b"q.score", ctypes.c_double), (b"q.class", ctypes.c_int64)):
            item = LIB.pt_report_find(report, name)
            found.append(np.ctypeslib.as_array(ctypes.cast(item[0].values, ctypes.POINTER(kind)),
                                               (item[0].length[0],)).copy() if item else None)
        free("report", report)
        return found

    def sets(self, prediction, options):
        p, n = prediction
        asked = params(options)
        call("prediction_decide", p, self.handle, asked)
        free("params", asked)
        LIB.pt_prediction_set.restype = ctypes.c_int64
        buffer = np.empty(self.k, np.int64)
        out = np.zeros((n, self.k), bool)
        for i in range(n):
            size = LIB.pt_prediction_set(p, ctypes.c_int64(i), buffer.ctypes.data_as(P), ctypes.c_int64(self.k))
            out[i, buffer[:size]] = True
        return out

    def labels(self, prediction, costs=None):
        p, n = prediction
        asked = params("threads=1")
        if costs is not None:
            costs = np.ascontiguousarray(costs)
            call("params_set_array", asked, b"costs", ctypes.byref(Dense(1, costs.ctypes.data, *costs.shape, 0, 0)))
        call("prediction_decide", p, self.handle, asked)
        free("params", asked)
        LIB.pt_prediction_labels.restype = ctypes.POINTER(ctypes.c_int64)
        return np.ctypeslib.as_array(LIB.pt_prediction_labels(p), (n,)).copy()

    def free(self):
        free("model", self.handle)


def load(name, most, sets=False):
    """At most so many rows, drawn once; labels as numbers from 0."""
    x, y = read(name, sets)
    rows = np.random.default_rng(1).permutation(len(x))[:most]
    x, y = x[rows], y[rows]
    return x, (y if sets else np.unique(y, return_inverse=True)[1])


def fixed(x, y):
    """The options of all splits: sigma and ridge as chosen once."""
    x, y = x[:1000], y[:1000]
    machine = "rank-ls" if y.ndim == 2 else "onelsm"
    model = Model(x, y, f"machine={machine},kernel=rbf,calibrate=no")
    options = f"machine={machine},kernel=rbf,sigma={model.chosen('sigma')},ridge={model.chosen('ridge')}"
    model.free()
    return options


def splits(n, share, count):
    for seed in range(count):
        order = np.random.default_rng([seed, n]).permutation(n)
        cut = int(n * share)
        yield seed, order[:cut], order[cut:]


def truth_of(model, y):
    """(rows x classes of the model): the right ones. What training has not seen is no class of it."""
    if y.ndim == 2:
        return y[:, model.classes], np.delete(y, model.classes, axis=1).any(axis=1)
    right = y[:, None] == model.classes[None, :]
    return right, ~right.any(axis=1)


def top_k(order_right, covered):
    """The k, between whole numbers, at which the k first classes cover a share. order_right: for each row after
    how many classes all right ones are in."""
    k = int(order_right.max())
    share = np.array([np.mean(order_right <= j) for j in range(k + 1)])
    return float(np.interp(covered, share, np.arange(k + 1)))


def cuts(model, c, by_class):
    """For each class the ceil((m + 1) c)-th smallest score."""
    score, of = model.held_out()
    out = []
    for r in range(model.k):
        own = np.sort(score[of == r]) if by_class else score
        place = int(np.ceil((len(own) + 1) * c - 1e-9))
        out.append(own[place - 1] if place <= len(own) else np.inf)
    return np.array(out)


def coverage(name, most, share, sets=False):
    x, y = load(name, most, sets)
    options = fixed(x, y)
    kinds = ["all"] if sets else ["all", "class"]
    found = {(kind, c): [] for kind in kinds for c in COVERAGES}
    by_class = {c: {} for c in COVERAGES}
    rows_of_class = []
    for _, train, test in splits(len(x), share, SPLITS):
        model = Model(x[train], y[train], options)
        prediction = model.predict(x[test])
        proba = model.proba(prediction)
        right, unknown = truth_of(model, y[test])
        rank = np.empty_like(proba)
        np.put_along_axis(rank, np.argsort(-proba, axis=1, kind="stable"),
                          np.broadcast_to(np.arange(1, model.k + 1.0), proba.shape).copy(), axis=1)
        needed = np.where(unknown, model.k + 1, np.where(right, rank, 0).max(axis=1))
        if not sets:
            rows_of_class.append(np.mean(1 / (1 + np.bincount(y[train], minlength=y.max() + 1))))
        for kind, c in found:
            said = model.sets(prediction, f"coverage={c},coverage-by={kind}")
            bare = 1 - proba <= cuts(model, c, kind == "class")
            empty = ~bare.any(axis=1) & (not sets)
            assert (said == np.where(empty[:, None], rank == 1, bare)).all()
            whole = ~unknown & (said | ~right).all(axis=1)
            inside = ~unknown & (bare | ~right).all(axis=1)
            mean = inside.mean()
            if kind == "class":
                seen = np.unique(y[test])
                mean = np.mean([inside[y[test] == r].mean() for r in seen])
                for r in seen:
                    by_class[c].setdefault(r, []).append((inside[y[test] == r].sum(), (y[test] == r).sum()))
            found[kind, c].append((mean, whole.mean(), said.sum(axis=1).mean(), top_k(needed, whole.mean())))
        free("prediction", prediction[0])
        model.free()
    m = int(len(x) * share)
    for (kind, c), values in found.items():
        values = np.array(values)
        mean, s = values[:, 0].mean(), values[:, 0].std(ddof=1) / np.sqrt(len(values))
        room = 1 / (m + 1) if kind == "all" else np.mean(rows_of_class)
        verdict = "yes" if c - 2 * s <= mean <= c + room + 2 * s else "below" if mean < c else "above"
        least = ""
        if kind == "class":
            least = "%.4f" % min(np.sum([v[0] for v in one]) / np.sum([v[1] for v in one]) for one in by_class[c].values())
        print(f"| {name} | {kind} | {c} | {mean:.4f} | {s:.4f} | {room:.4f} | {verdict} | {least} | {values[:, 1].mean():.4f} | {values[:, 2].mean():.2f} | {values[:, 3].mean():.2f} |",
              flush=True)


def costs(name):
    x, y = load(name, 1000)
    options = fixed(x, y)
    plain, least = [], []
    for seed, train, test in splits(len(x), 0.5, min(SPLITS, 50)):
        model = Model(x[train], y[train], options)
        random = np.random.default_rng([seed, 7])
        k = y.max() + 1
        matrix = 10 ** random.uniform(0, 2, (k, k))
        np.fill_diagonal(matrix, 0)
        prediction = model.predict(x[test])
        own = matrix[np.ix_(model.classes, model.classes)]
        plain.append(matrix[y[test], model.classes[model.labels(prediction)]].mean())
        least.append(matrix[y[test], model.classes[model.labels(prediction, own)]].mean())
        free("prediction", prediction[0])
        model.free()
    difference = np.array(least) - np.array(plain)
    s = difference.std(ddof=1) / np.sqrt(len(difference))
    print(f"| {name} | {len(x) // 2} | {np.mean(plain):.3f} | {np.mean(least):.3f} | {difference.mean():.3f} | {s:.3f} | "
          f"{np.mean(difference < 0):.2f} |", flush=True)


def thresholds(name):
    x, y = load(name, 1500, True)
    options = fixed(x, y)
    for rule in ("zero", "f1"):
        figures = []
        for _, train, test in splits(len(x), 0.5, min(SPLITS, 20)):
            model = Model(x[train], y[train], f"{options},thresholds={rule}")
            prediction = model.predict(x[test])
            said, proba = model.sets(prediction, "threads=1"), model.proba(prediction)
            right, _ = truth_of(model, y[test])
            both = (said & right).sum(axis=0)
            size = said.sum(axis=0) + right.sum(axis=0)
            macro = np.mean(np.where(size > 0, 2 * both / np.maximum(size, 1), 0))
            loss = -np.mean(np.where(right, np.log(proba), np.log(1 - proba)))
            figures.append((macro, 2 * both.sum() / size.sum(), np.mean(said != right), loss))
            free("prediction", prediction[0])
            model.free()
        print(f"| {name} | {rule} | " + " | ".join(f"{f:.4f}" for f in np.mean(figures, axis=0)) + " |", flush=True)


COVERED = {"letter": (4000, 0.25), "satimage": (4000, 0.25), "vowel": (4000, 2 / 3), "yeast": (4000, 2 / 3),
           "ml-yeast": (4000, 0.5, True)}
COSTLY = ("glass", "vowel", "yeast", "segmentation", "satimage", "letter")
TAGGED = ("ml-emotions", "ml-yeast", "ml-scene")


def part(which, names):
    if which == "coverage":
        print("| set | by | asked | covered | s | room | within | least class | with the best | size | top k |\n" + "| --- " * 11 + "|")
        for name in names or COVERED:
            coverage(name, *COVERED[name])
    elif which == "costs":
        print("| set | rows | most probable | least cost | difference | s | splits below |\n" + "| --- " * 7 + "|")
        for name in names or COSTLY:
            costs(name)
    else:
        print("| set | thresholds | macro F1 | micro F1 | Hamming loss | log loss |\n" + "| --- " * 6 + "|")
        for name in names or TAGGED:
            thresholds(name)


def main():
    which = sys.argv[1]
    if which != "all":
        part(which, sys.argv[2:])
        return
    print("# Results\n\nMade by `run.sh`; PLAN.md says what the columns are.\n\n## Coverage and sizes of sets\n")
    part("coverage", [])
    print("\n## Mean costs\n")
    part("costs", [])
    print("\n## Thresholds by F1\n")
    part("thresholds", [])


main()
