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


sets = [set_case(*c) for c in [(2, 2, 0.5, True), (6, 3, 0.4, True), (12, 4, 0.5, True),
                               (12, 5, 0.3, False), (20, 6, 0.2, True), (20, 6, 0.7, True)]]
rankings = [ranking_case(*c) for c in [(6, 3, False, False), (12, 5, True, False),
                                       (12, 6, False, True), (15, 6, True, True),
                                       (15, 4, True, True)]]
print("""/* Made by tests/golden/make_metrics.py from scikit-learn %s and scipy %s. */
/* clang-format off */
#ifndef PT_TESTS_METRIC_VALUES_H
#define PT_TESTS_METRIC_VALUES_H

enum { CASE_CELLS = 120, CASE_ROWS = 20, CASE_CLASSES = 6, SET_VALUES = 9 };

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

static const set_case SET_CASES[] = {
%s
};

static const ranking_case RANKING_CASES[] = {
%s
};

#endif""" % (sklearn.__version__, scipy.__version__, "\n".join(sets), "\n".join(rankings)))
