#!/usr/bin/python3
"""Writes tests/support/metric_values.h: random labels and scores with ties, and what scikit-learn
and scipy say of them. Run it again when a metric is added; the header is committed, so that the
tests need neither.

    tests/golden/make_metrics.py > tests/support/metric_values.h
"""
import textwrap

import numpy as np
import scipy
import scipy.stats
import sklearn
import sklearn.metrics as skm

NONE = 9.0  # where a figure is not defined
LEVELS = np.array([-1.0, -0.5, 0.0, 0.25, 0.75])
rng = np.random.default_rng(20251)


def wrapped(words):
    return textwrap.fill("{" + ", ".join(words) + "}", 94, subsequent_indent="      ")


def numbers(values):
    return wrapped("%.17g" % v for v in np.asarray(values, float).ravel())


def integers(values):
    return wrapped("%d" % v for v in np.asarray(values).ravel())


def set_case(n, k, share, tied):
    """Y: n x k of 0 and 1; the first rows are the empty and the full set."""
    Y = (rng.random((n, k)) < share).astype(int)
    Y[0], Y[1] = 0, 1
    if n > 3:
        Y[2:, 0] = 0  # a class that hardly any row has
    S = rng.choice(LEVELS, (n, k)) if tied else rng.normal(size=(n, k))
    P = (S > 0).astype(int)
    if n > 4:
        S[:, k - 1] = -np.abs(S[:, k - 1]) - 0.125  # and one that is never predicted
        P = (S > 0).astype(int)
    zero = {"zero_division": 0}
    first = S.argmax(axis=1)
    member = Y[np.arange(n), first]
    some = Y.sum(axis=1) > 0
    values = [
        skm.zero_one_loss(Y, P),
        skm.hamming_loss(Y, P),
        skm.accuracy_score(Y, P),
        skm.f1_score(Y, P, average="micro", **zero),
        skm.f1_score(Y, P, average="macro", **zero),
        skm.label_ranking_loss(Y, S),
        skm.coverage_error(Y, S),
        skm.label_ranking_average_precision_score(Y, S),
        1 - member[some].mean(),
    ]
    per_class = [f(Y, P, average=None, **zero)
                 for f in (skm.precision_score, skm.recall_score, skm.f1_score)]
    return "    {%d, %d,\n     %s,\n     %s,\n     %s,\n     %s}," % (
        n, k, integers(Y), numbers(S), numbers(values), numbers(per_class))


def ranking_case(n, k, tied, partial):
    """R: n x k of ranks from 1, 0 where a class is not ranked."""
    R = np.array([rng.integers(1, k, k) if tied else rng.permutation(k) + 1 for _ in range(n)])
    if partial:
        R[rng.random((n, k)) < 0.3] = 0
    R[0] = 1  # all tied: it says nothing
    S = rng.choice(LEVELS, (n, k)) if tied else rng.normal(size=(n, k))
    S[n - 1] = 0.5  # scores that say nothing
    R[n - 1] = np.arange(k) + 1
    tau, rho = [], []
    for r, s in zip(R, S):
        ranked = r > 0
        t = p = np.nan
        if len(set(r[ranked])) > 1:
            t = p = 0.0
            if len(set(s[ranked])) > 1:
                t = scipy.stats.kendalltau(-r[ranked], s[ranked], variant="b").statistic
                p = scipy.stats.spearmanr(-r[ranked], s[ranked]).statistic
        tau.append(t)
        rho.append(p)
    known = ~np.isnan(tau)
    tau = [t if v else 9 for t, v in zip(tau, known)]  # 9: none
    rho = [t if v else 9 for t, v in zip(rho, known)]
    return "    {%d, %d,\n     %s,\n     %s,\n     %s,\n     %s}," % (
        n, k, integers(R), numbers(S), numbers(tau), numbers(rho))


def mean(values):
    values = [v for v in values if v is not None]
    return np.mean(values) if values else NONE


def class_case(n, k, unknown=0, tied=True, only=None, skew=False):
    """Classes 0 .. k-1 with probabilities, which the model knows, and some that it does not."""
    p = np.array([1.0] + [0.3 ** r for r in range(1, k + unknown)]) if skew else np.ones(k + unknown)
    y = rng.choice(k + unknown, n, p=p / p.sum())
    if only is not None:
        y = rng.choice(only, n)
    P = rng.integers(1, 5, (n, k)).astype(float) if tied else rng.gamma(1, size=(n, k)) + 1e-3
    known = y < k
    P[np.arange(n)[known], y[known]] *= rng.choice([1, 2, 4], known.sum())
    S = np.log(P / P.sum(axis=1, keepdims=True))
    P = np.exp(S)
    said = S.argmax(axis=1)
    costs = rng.integers(0, 6, (k, k)).astype(float)
    np.fill_diagonal(costs, 0)
    labels = np.arange(k)
    yk, Pk = y[known], P[known]
    there = [c for c in labels if (yk == c).any()]
    if len(there) < 2:
        ovr = ovo = NONE
    elif k == 2:
        ovr = ovo = skm.roc_auc_score(yk, Pk[:, 1])
    else:
        ovr = mean(skm.roc_auc_score(yk == c, Pk[:, c]) for c in there)
        if len(there) == k:
            assert ovr == skm.roc_auc_score(yk, Pk, multi_class="ovr", labels=labels)
        ovo = skm.roc_auc_score(yk, Pk, multi_class="ovo", labels=labels)
    kappa = skm.cohen_kappa_score(y, said)
    # a class that the model does not know is never among the first: it is the last column
    wide = np.hstack([S, np.full((n, unknown), -1e9)]) if unknown else S
    values = [
        skm.zero_one_loss(y, said),
        1 - skm.balanced_accuracy_score(y, said),
        skm.matthews_corrcoef(y, said),
        NONE if np.isnan(kappa) else kappa,
        ovr,
        ovo,
        skm.top_k_accuracy_score(y, wide, k=2, labels=np.arange(k + unknown)) if k > 2 else NONE,
        costs[yk, said[known]].mean() if known.any() else NONE,
        skm.log_loss(yk, Pk, labels=labels) if known.any() else NONE,
        ((Pk - np.eye(k)[yk]) ** 2).sum(axis=1).mean() if known.any() else NONE,
    ]
    return "    {%d, %d, %d,\n     %s,\n     %s,\n     %s,\n     %s}," % (
        n, k, k + unknown, integers(y), numbers(S), numbers(costs), numbers(values))


sets = [set_case(*c) for c in [(2, 2, 0.5, True), (6, 3, 0.4, True), (12, 4, 0.5, True),
                               (12, 5, 0.3, False), (20, 6, 0.2, True), (20, 6, 0.7, True)]]
rankings = [ranking_case(*c) for c in [(6, 3, False, False), (12, 5, True, False),
                                       (12, 6, False, True), (15, 6, True, True),
                                       (15, 4, True, True)]]
classes = [class_case(*c) for c in [(20, 2), (20, 3), (20, 4), (20, 5), (20, 6), (12, 2), (15, 3),
                                    (18, 6), (7, 4), (30, 4)]]
classes += [class_case(*c, tied=False) for c in [(20, 2), (20, 3), (20, 4), (20, 5), (20, 6),
                                                 (12, 2), (15, 3), (18, 6), (7, 4), (30, 4)]]
classes += [class_case(20, 3, 1), class_case(20, 4, 2, tied=False), class_case(15, 2, 1),
            class_case(20, 5, only=[0, 3]), class_case(20, 4, only=[1, 2, 3]),
            class_case(10, 3, only=[1]), class_case(10, 2, only=[0]), class_case(10, 2, only=[1]),
            class_case(20, 6, skew=True), class_case(6, 2, 1, only=[2])]
print("""/* Made by tests/golden/make_metrics.py from scikit-learn %s and scipy %s. */
/* clang-format off */
#ifndef PT_TESTS_METRIC_VALUES_H
#define PT_TESTS_METRIC_VALUES_H

enum { CASE_CELLS = 120, CASE_ROWS = 20, CASE_CLASSES = 6, SET_VALUES = 9 };
enum { CLASS_ROWS = 30, CLASS_VALUES = 10 };

/* error, Hamming loss, subset accuracy, micro and macro F1, ranking loss, coverage, average
 * precision, one-error; then precision, recall and F1 of every class */
typedef struct set_case {
    int n;
    int k;
    int member[CASE_CELLS];
    double score[CASE_CELLS];
    double value[SET_VALUES];
    double per_class[3 * CASE_CLASSES];
} set_case;

/* ranks from 1, 0 where a class is not ranked; tau-b and rho of every row, 9 where there is none */
typedef struct ranking_case {
    int n;
    int k;
    int rank[CASE_CELLS];
    double score[CASE_CELLS];
    double tau[CASE_ROWS];
    double rho[CASE_ROWS];
} ranking_case;

/* Classes, of which the model knows the first k, and logarithms of its probabilities; error,
 * 1 - balanced accuracy, Matthews' correlation, kappa, AUC one against the rest and one against
 * one, accuracy of the first two, mean cost, log loss, Brier score; 9: not defined */
typedef struct class_case {
    int n;
    int k;
    int all;
    int truth[CLASS_ROWS];
    double score[CASE_CELLS];
    double cost[CASE_CLASSES * CASE_CLASSES];
    double value[CLASS_VALUES];
} class_case;

static const set_case SET_CASES[] = {
%s
};

static const ranking_case RANKING_CASES[] = {
%s
};

static const class_case CLASS_CASES[] = {
%s
};

#endif""" % (sklearn.__version__, scipy.__version__, "\n".join(sets), "\n".join(rankings),
                "\n".join(classes)))
