#!/usr/bin/env python3
"""Sets and rankings: study.py DATA WORK TOOL [sets | rankings | SET]... See PLAN.md.

Of every set, fold and machine one JSON file with its figures, in WORK/study. What is there is not done again. The folds are written as CSV or LIBSVM
files for the tool; the figures of all machines, ours and the baselines, are computed here from their scores by the same code.
"""
import gzip
import json
import os
import pathlib
import random
import re
import subprocess
import sys

import numpy as np

SEED = 1
FOLDS = 10
MOST_ROWS = 3000
STRENGTHS = [0.1, 1, 10]
RIDGES = [16, 32, 64, 128, 256, 512, 1024]
SMALL = [0.0001, 0.001, 0.01, 0.1]
DENSE_SETS = ["ml-emotions", "ml-scene", "ml-yeast"]
SPARSE_SETS = ["ml-enron", "ml-bibtex", "ml-tmc2007-500"]
RANKINGS = ["iris", "wine", "glass", "bodyfat", "housing", "vowel", "stock", "segment", "cold", "diau", "dtt", "heat", "spo",
            "pendigits", "elevators", "calhousing", "fried"]
# What the plan cut, before its errors were seen: a larger C takes too long there.
CUT = {("ml-enron", "constraint"): [0.1, 1], ("ml-bibtex", "constraint"): [0.1]}
LEFT_OUT = os.environ.get("HRZ_LEFT_OUT", "").split()  # machines that another process takes
FIRST = int(os.environ.get("HRZ_FIRST_FOLDS", FOLDS))  # fewer: to see what a fold costs
AUTO = ["--auto-rows", "1000"]
# Machines that choose their parameters by themselves (no C), and those whose C is chosen here from the list.
OURS = {
    "sets": {"rank-ls": (["--machine", "rank-ls", *AUTO], None),
             "powerset": (["--machine", "powerset", *AUTO], None),
             "relevance.ls": (["--machine", "relevance", "--learner", "ls", *AUTO], None),
             "relevance.logistic": (["--machine", "relevance", "--learner", "logistic"], STRENGTHS),
             "constraint": (["--machine", "constraint"], STRENGTHS)},
    "rankings": {"rank-ls": (["--machine", "rank-ls", *AUTO], None),
                 "rank-ls.linear": (["--machine", "rank-ls", "--kernel", "linear", "--scale", "standard", *AUTO], None),
                 "constraint": (["--machine", "constraint", "--pairs", "next"], STRENGTHS),
                 "constraint.all-pairs": (["--machine", "constraint", "--pairs", "all"], STRENGTHS)},
}
# Added to explain losses, where they are, and not judged.
SMALL_SETS = {"constraint.small-C": (["--machine", "constraint"], SMALL)}
THRESHOLD = {"constraint.threshold": (["--machine", "constraint"], SMALL)}
CENTRED = {"rank-ls.centred": (["--machine", "rank-ls", "--kernel", "linear", "--scale", "none", *AUTO], None)}
# `.ridge`: the same options; the tool has since learned to go on beyond a ridge of 16.
RIDGE = {f"{machine}.ridge": how for machine, how in OURS["sets"].items() if how[1] is None}
NOISY = ["cold", "diau", "dtt", "heat", "spo"]
SLOW = ["constraint.standard.plan-C"]  # on the first two alone
EXPLAIN = {
    "rank-ls.linear.ridge": OURS["rankings"]["rank-ls.linear"],
    "constraint.small-C": (["--machine", "constraint", "--pairs", "all"], SMALL),
    "constraint.standard": (["--machine", "constraint", "--pairs", "all", "--scale", "standard"], SMALL),
    "constraint.standard.plan-C": (["--machine", "constraint", "--pairs", "all", "--scale", "standard"], STRENGTHS),
    "constraint.centred": (["--machine", "constraint", "--pairs", "all", "--scale", "none"], SMALL),
}


# ---- data: X (rows of features), Y (rows x labels: 0/1, or ranks) ----

def read_csv(path):
    with gzip.open(path, "rt") as file:
        header = file.readline().strip().split(",")
        return header, np.loadtxt(file, delimiter=",", ndmin=2)


def read_libsvm(path):
    """Pairs (labels, {feature: value})."""
    rows = []
    with gzip.open(path, "rt") as file:
        for line in file:
            labels, _, rest = line.rstrip("\n").partition(" ")
            if ":" in labels:
                labels, rest = "", line.strip()
            cells = [cell.split(":") for cell in rest.split()]
            rows.append(([int(a) for a in labels.split(",") if a], {int(j) - 1: float(v) for j, v in cells}))
    return rows


def sparse_matrix(rows, width):
    from scipy.sparse import csr_matrix
    start = np.cumsum([0] + [len(x) for _, x in rows])
    index = [j for _, x in rows for j in sorted(x)]
    value = [x[j] for _, x in rows for j in sorted(x)]
    return csr_matrix((value, index, start), shape=(len(rows), width))


def load(data, name):
    """(kind, X, Y)"""
    if name in DENSE_SETS:
        parts = [read_csv(data / name / f"{part}.csv.gz") for part in ("train", "test")]
        labels = [j for j, column in enumerate(parts[0][0]) if column.startswith("label_")]
        inputs = [j for j in range(len(parts[0][0])) if j not in labels]
        table = np.vstack([rows for _, rows in parts])
        return "sets", table[:, inputs], table[:, labels].astype(int)
    if name in SPARSE_SETS:
        rows = [row for part in ("train", "test") for row in read_libsvm(data / name / f"{part}.svm.gz")]
        width = 1 + max(j for _, x in rows for j in x)
        Y = np.zeros((len(rows), 1 + max(r for labels, _ in rows for r in labels)), int)
        for i, (labels, _) in enumerate(rows):
            Y[i, labels] = 1
        return "sets", sparse_matrix(rows, width), Y
    header, table = read_csv(data / "label-ranking" / f"{name}.csv.gz")
    labels = [j for j, column in enumerate(header) if column.startswith("L")]
    inputs = [j for j, column in enumerate(header) if column.startswith("A")]
    return "rankings", table[:, inputs], table[:, labels].astype(int)


def draw(X, Y):
    order = list(range(len(Y)))
    random.Random(SEED).shuffle(order)
    return X[order[:MOST_ROWS]], Y[order[:MOST_ROWS]]


# ---- files for the tool ----

def members(y):
    return ",".join(map(str, np.flatnonzero(y)))


def members_by_threshold(y):
    """The set as pairs with a class t between its members and the others, and no pairs of a member with another."""
    return ",".join(f"{r}>t" if inside else f"t>{r}" for r, inside in enumerate(y))


def write(path, kind, X, Y, label):
    if hasattr(X, "indptr"):
        with open(path, "w") as file:
            for i in range(X.shape[0]):
                cells = [f"{j + 1}:{v:.17g}" for j, v in zip(X.indices[X.indptr[i]:X.indptr[i + 1]], X.data[X.indptr[i]:X.indptr[i + 1]])]
                file.write(" ".join([label(Y[i]), *cells]) + "\n")
        return
    with open(path, "w") as file:
        file.write(",".join([f"A{j}" for j in range(X.shape[1])] + [f"L{r:03d}" for r in range(Y.shape[1])]) + "\n")
        for x, y in zip(X, Y):
            file.write(",".join([f"{v:.17g}" for v in x] + [str(v) for v in y]) + "\n")


def centred(X, train):
    """Over half the range in the training rows, as the tool does it, but with their mean at 0 in place of the middle of the range."""
    half = (X[train].max(0) - X[train].min(0)) / 2
    return (X - X[train].mean(0)) / np.where(half > 0, half, 1)


def dense_centred(X, train):
    X = X.toarray()
    return X - X[train].mean(0)


PREPARED = {"constraint.centred": centred, "rank-ls.centred": dense_centred}


def read_options(kind, X):
    if hasattr(X, "indptr"):
        return ["--labels", "set"]
    return ["--labels", "set", "--label", "L*"] if kind == "sets" else ["--labels", "ranking", "--ranks", "L*"]


class Tool:
    def __init__(self, tool, folder, kind, X, Y, prepared, by_threshold):
        self.tool, self.folder, self.kind, self.prepared, self.by_threshold = tool, folder, kind, prepared, by_threshold
        self.X, self.Y = X, Y

    def scores(self, machine, train, test):
        """Of rows `test` by the machine trained on rows `train`: one column for each label, in their order."""
        X = self.prepared(self.X, train)
        options = ["--labels", "pairs"] if self.by_threshold else read_options(self.kind, X)
        suffix = "svm" if hasattr(X, "indptr") else "csv"
        paths = [self.folder / f"{part}.{suffix}" for part in ("train", "test")]
        for path, rows in zip(paths, (train, test)):
            write(path, self.kind, X[rows], self.Y[rows], members_by_threshold if self.by_threshold else members)
        model = self.folder / "model"
        # Scores are the same whether probabilities are calibrated or not; that would take its time.
        told = subprocess.run([self.tool, "train", paths[0], "-o", model, "--merge", "no", "--calibrate", "no", *options, *machine], check=True,
                              capture_output=True, text=True).stderr
        left = re.search(r"relative gap of (\S+) was reached", told)
        self.gap_left = float(left.group(1)) if left else 0.0
        out = subprocess.run([self.tool, "predict", model, paths[1], "--scores", "-q", *options], check=True,
                             capture_output=True, text=True).stdout.splitlines()
        names = out[0].split(",")
        scores = np.full((len(test), self.Y.shape[1]), -1.0)  # labels that the training rows do not have
        table = np.array([[float(v) for v in line.split(",")] for line in out[1:]])
        if self.by_threshold:
            threshold = names.index("t")
            table -= table[:, [threshold]]
            names, table = names[:threshold] + names[threshold + 1:], np.delete(table, threshold, 1)
        for column, label in enumerate(names):
            scores[:, int(label.strip('"').lstrip("L"))] = table[:, column]
        return scores


# ---- baselines ----

def standardised(X, train):
    if hasattr(X, "indptr"):
        return X
    mean, deviation = X[train].mean(0), X[train].std(0)
    return (X - mean) / np.where(deviation > 0, deviation, 1)


def logistic_scores(X, Y, C, train, test):
    from sklearn.linear_model import LogisticRegression
    from sklearn.multiclass import OneVsRestClassifier
    X = standardised(X, train)
    with_both = [r for r in range(Y.shape[1]) if 0 < Y[train, r].sum() < len(train)]
    machine = OneVsRestClassifier(LogisticRegression(C=C, max_iter=1000)).fit(X[train], Y[train][:, with_both])
    scores = np.where(Y[train].mean(0) > 0.5, 1.0, -1.0) * np.ones((len(test), 1))
    scores[:, with_both] = machine.decision_function(X[test]).reshape(len(test), -1)
    return scores


def hinge_scores(X, Y, C, train, test):
    """As the baseline, with the hinge in place of the logistic loss and a bias that is penalised, as `constraint` has it."""
    from sklearn.svm import LinearSVC
    scores = np.full((len(test), Y.shape[1]), -1.0)
    for r in range(Y.shape[1]):
        if 0 < Y[train, r].sum() < len(train):
            scores[:, r] = LinearSVC(loss="hinge", C=C, max_iter=100000).fit(X[train], Y[train, r]).decision_function(X[test])
    return scores


def square_scores(X, Y, strength, train, test):
    """Ridge regression on -1 and 1, by another hand than ours: for the square loss itself."""
    from sklearn.linear_model import Ridge
    X = X.toarray() if hasattr(X, "toarray") else X
    return Ridge(alpha=strength).fit(X[train], 2 * Y[train] - 1).predict(X[test])


def ridge_scores(X, Y, train, test, one_alpha=False):
    """A strength for each label; or one for all of them."""
    from sklearn.linear_model import RidgeCV
    X = standardised(X, train)
    alphas = [2.0 ** e for e in range(-10, 11)]
    if one_alpha:
        return -RidgeCV(alphas=alphas).fit(X[train], Y[train]).predict(X[test])
    return np.column_stack([-RidgeCV(alphas=alphas).fit(X[train], Y[train, r]).predict(X[test]) for r in range(Y.shape[1])])


PAIR_LOSSES = {  # l(z) and its derivative
    "pairs.logistic": lambda z: (np.logaddexp(0, -z), -1 / (1 + np.exp(z))),
    "pairs.square": lambda z: ((1 - z) ** 2, -2 * (1 - z)),
}


def pair_scores(X, Y, C, train, test, loss):
    """What `constraint` on all pairs minimises, with another loss: 1/2 sum ||v_r||^2 + C sum of l(v_a.x - v_b.x), range to [-1, 1], a
    bias that is penalised."""
    from scipy.optimize import minimize
    low, high = X[train].min(0), X[train].max(0)
    X = np.column_stack([2 * (X - low) / np.where(high > low, high - low, 1) - 1, np.ones(len(X))])
    k, (a, b) = Y.shape[1], np.triu_indices(Y.shape[1], 1)
    sign = np.sign(Y[train][:, b] - Y[train][:, a])
    choose_a, choose_b = np.eye(k)[a], np.eye(k)[b]

    def value(v):
        S = X[train] @ v.reshape(-1, k)
        losses, slopes = loss(sign * (S[:, a] - S[:, b]))
        slopes = slopes * sign
        G = X[train].T @ (slopes @ choose_a - slopes @ choose_b)
        return 0.5 * v @ v + C * (losses * np.abs(sign)).sum(), v + C * G.ravel()

    found = minimize(value, np.zeros(X.shape[1] * k), jac=True, method="L-BFGS-B", options={"maxiter": 2000, "maxfun": 4000})
    return X[test] @ found.x.reshape(-1, k)


# ---- figures ----

def f1(hits, said, true):
    return 2 * hits / (said + true) if said + true > 0 else 1.0


def figures_of_sets(scores, Y):
    said = scores > 0
    hits, n_said, n_true = (said & (Y > 0)).sum(0), said.sum(0), Y.sum(0)
    wrong, counted = 0.0, 0
    for s, y in zip(scores, Y):
        inside, outside = s[y > 0], s[y == 0]
        if len(inside) and len(outside):
            wrong += (inside[:, None] <= outside[None, :]).mean()
            counted += 1
    return {"hamming_loss": float((said != (Y > 0)).mean()), "subset_accuracy": float((said == (Y > 0)).all(1).mean()),
            "micro_f1": f1(hits.sum(), n_said.sum(), n_true.sum()),
            "macro_f1": float(np.mean([f1(*cell) for cell in zip(hits, n_said, n_true)])),
            "ranking_loss": wrong / max(counted, 1)}


def figures_of_rankings(scores, Y):
    """Of ties between scores the label of the lower number is first, as in the tool."""
    places = np.empty_like(Y)
    order = np.argsort(-scores, axis=1, kind="stable")
    np.put_along_axis(places, order, np.arange(1, Y.shape[1] + 1)[None, :] * np.ones((len(Y), 1), int), axis=1)
    a, b = np.triu_indices(Y.shape[1], 1)
    agree = np.sign(places[:, a] - places[:, b]) * np.sign(Y[:, a] - Y[:, b])
    return {"kendall_tau": float(agree.mean()), "top1": float((Y[np.arange(len(Y)), order[:, 0]] == 1).mean()),
            "all_right": float((agree == 1).all(1).mean())}


def seen_and_not(ours, theirs, Y, train, test):
    """Hamming losses of two machines on the test rows whose set some training row has, and on the others."""
    known = {tuple(y) for y in Y[train]}
    seen = np.array([tuple(y) in known for y in Y[test]])
    wrong = [((scores > 0) != (Y[test] > 0)).mean(1) for scores in (ours, theirs)]
    parts = {"seen": seen, "not_seen": ~seen}
    return {"share_seen": float(seen.mean()),
            **{f"{part}.{who}": float(w[rows].mean()) for part, rows in parts.items() for who, w in zip(("ours", "baseline"), wrong)}}


FIGURES = {"sets": figures_of_sets, "rankings": figures_of_rankings}


def loss(kind, scores, Y):
    return figures_of_sets(scores, Y)["hamming_loss"] if kind == "sets" else -figures_of_rankings(scores, Y)["kendall_tau"]


def choose(kind, scores_of, Y, train, strengths):
    """The C of the least loss on the first third of the training rows; ties: the smaller."""
    held, kept = train[:len(train) // 3], train[len(train) // 3:]
    if len(strengths) == 1:
        return strengths[0]
    return min(strengths, key=lambda C: (loss(kind, scores_of(C, kept, held), Y[held]), C))


# ---- all of it ----

def once(path, work):
    if path.exists():
        return
    print(path.relative_to(path.parents[2]), file=sys.stderr, flush=True)
    begin = sum(os.times()[:4])  # ours and that of the tool
    result = work()
    result["seconds"] = sum(os.times()[:4]) - begin
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(result))


def run(data, work, tool, name):
    kind, X, Y = load(data, name)
    X, Y = draw(X, Y)
    for fold in range(FIRST):
        test = [i for i in range(len(Y)) if i % FOLDS == fold]
        train = [i for i in range(len(Y)) if i % FOLDS != fold]

        def tuned(scores_of, strengths=STRENGTHS):
            C = choose(kind, scores_of, Y, train, strengths)
            return {**FIGURES[kind](scores_of(C, train, test), Y[test]), "C": C}

        at = work / "study" / name
        if kind == "sets":
            once(at / f"baseline.{fold}.json", lambda: tuned(lambda C, a, b: logistic_scores(X, Y, C, a, b)))
            if name in ("ml-enron", "ml-bibtex"):
                once(at / f"hinge.sklearn.{fold}.json", lambda: tuned(lambda C, a, b: hinge_scores(X, Y, C, a, b), SMALL + STRENGTHS[1:]))
            if name == "ml-enron":
                once(at / f"ridge.sklearn.{fold}.json", lambda: tuned(lambda C, a, b: square_scores(X, Y, C, a, b), RIDGES))
        else:
            once(at / f"baseline.{fold}.json", lambda: figures_of_rankings(ridge_scores(X, Y, train, test), Y[test]))
            for machine, pair_loss in PAIR_LOSSES.items() if name in NOISY[:2] else []:
                once(at / f"{machine}.{fold}.json", lambda: tuned(lambda C, a, b: pair_scores(X, Y, C, a, b, pair_loss)))
            if name in NOISY:
                once(at / f"ridge.one-alpha.{fold}.json", lambda: figures_of_rankings(ridge_scores(X, Y, train, test, True), Y[test]))
        machines = OURS[kind] | (RIDGE if name in SPARSE_SETS else {}) | (CENTRED if name == "ml-enron" else {}) | \
            (SMALL_SETS if kind == "sets" else {}) | (THRESHOLD if name in ("ml-enron", "ml-bibtex") else {}) | {m: how for m, how in EXPLAIN.items() if name in NOISY and (name in NOISY[:2] or m not in SLOW)}
        for machine, (options, strengths) in machines.items():
            strengths = CUT.get((name, machine), strengths)
            if machine in LEFT_OUT:
                continue
            folder = work / "files" / f"{name}.{machine}"
            folder.mkdir(parents=True, exist_ok=True)
            ours = Tool(tool, folder, kind, X, Y, PREPARED.get(machine, lambda X, train: X), machine in THRESHOLD)
            if strengths:
                once(at / f"{machine}.{fold}.json",
                     lambda: {**tuned(lambda C, a, b: ours.scores([*options, "--C", str(C)], a, b), strengths), "gap_left": ours.gap_left})
            else:
                once(at / f"{machine}.{fold}.json",
                     lambda: FIGURES[kind](ours.scores(options, train, test), Y[test]))


        if name in SPARSE_SETS:
            folder = work / "files" / f"{name}.powerset.seen"
            folder.mkdir(parents=True, exist_ok=True)
            powerset = Tool(tool, folder, kind, X, Y, lambda X, train: X, False)
            C = json.loads((at / f"baseline.{fold}.json").read_text())["C"]
            once(at / f"powerset.seen.{fold}.json",
                 lambda: seen_and_not(powerset.scores(OURS[kind]["powerset"][0], train, test), logistic_scores(X, Y, C, train, test),
                                      Y, train, test))


def main():
    data, work, tool = (pathlib.Path(a).resolve() for a in sys.argv[1:4])
    groups = {"sets": DENSE_SETS + SPARSE_SETS, "rankings": RANKINGS}
    for part in sys.argv[4:] or ["sets", "rankings"]:
        for name in groups.get(part, [part]):
            run(data, work, tool, name)


main()
