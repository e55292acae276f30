#!/usr/bin/env python3
"""RESULTS.md from what run.sh has done: table.py WORK. Findings are written by hand in findings.md, which comes first."""
import json
import math
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
FOLDS = 10
T_975 = 2.262  # Student's t, 9 degrees of freedom
SETS = ["ml-emotions", "ml-scene", "ml-yeast", "ml-enron", "ml-bibtex", "ml-tmc2007-500"]
RANKINGS = ["iris", "wine", "glass", "bodyfat", "housing", "vowel", "stock", "segment", "cold", "diau", "dtt", "heat", "spo",
            "pendigits", "elevators", "calhousing", "fried"]
FIGURE3 = ["audiology", "glass", "soybean", "vowel", "letter", "isolet", "hrz-5000", "hrz-50000"]
# Added later, not judged: beside the others in the tables, and those that explain losses in a table of their own.
ASIDE = ["rank-ls.linear", "constraint.all-pairs"]
EXPLAIN_SETS = ["rank-ls.ridge", "powerset.ridge", "relevance.ls.ridge", "rank-ls.centred", "ridge.sklearn", "constraint.small-C", "hinge.sklearn", "constraint.threshold"]
EXPLAIN_RANKINGS = ["rank-ls.linear.ridge", "ridge.one-alpha", "constraint.small-C", "constraint.centred", "constraint.standard",
                    "constraint.standard.plan-C", "pairs.logistic", "pairs.square"]
KINDS = [
    ("Sets", SETS, ["rank-ls", "powerset", "relevance.ls", "relevance.logistic", "constraint"], EXPLAIN_SETS, "hamming_loss", False,
     ["subset_accuracy", "micro_f1", "macro_f1", "ranking_loss"],
     "scikit-learn's OneVsRestClassifier(LogisticRegression)"),
    ("Rankings", RANKINGS, ["rank-ls", "constraint", *ASIDE], EXPLAIN_RANKINGS, "kendall_tau", True, ["top1", "all_right"],
     "one ridge regression for each label"),
]


def folds_of(work, name, machine):
    """The figures of all folds, or None where some are missing."""
    paths = [work / "study" / name / f"{machine}.{fold}.json" for fold in range(FOLDS)]
    return [json.loads(path.read_text()) for path in paths] if all(path.exists() for path in paths) else None


def mean(values):
    return sum(values) / len(values)


def difference(a, b):
    """Mean and half width of the 95 percent interval (Nadeau and Bengio)."""
    d = [x - y for x, y in zip(a, b)]
    variance = sum((v - mean(d)) ** 2 for v in d) / (FOLDS - 1)
    return mean(d), T_975 * math.sqrt(variance * (1 / FOLDS + 1 / (FOLDS - 1)))


def rank_of(figures, larger):
    """Ranks from 1, the best; equals share the mean."""
    sign = -1 if larger else 1
    return {m: 1 + sum(sign * v < sign * figures[m] for v in figures.values())
            + (sum(v == figures[m] for v in figures.values()) - 1) / 2 for m in figures}


def differences(work, names, machines, figure, larger):
    print("| data | " + " | ".join(machines) + " |\n" + "| --- " * (len(machines) + 1) + "|")
    for name in names:
        cells = []
        for m in machines:
            folds = [folds_of(work, name, x) for x in (m, "baseline")]
            if not all(folds):
                cells.append("not run")
                continue
            d, half = difference(*([f[figure] for f in x] for x in folds))
            mark = "" if abs(d) <= half else "**" if (d > 0) == larger else "*"
            cells.append(f"{mark}{d:+.4f} ± {half:.4f}{mark}")
        print(f"| {name} | " + " | ".join(cells) + " |")
    print()


def seen_and_not(work, names):
    runs = {name: folds_of(work, name, "powerset.seen") for name in names}
    if not any(runs.values()):
        return
    print("\nThe loss of `powerset` less the baseline's, for test rows whose set some training row has, and for the others:\n")
    print("| data | share of rows seen | seen | not seen |\n| --- | --- | --- | --- |")
    for name, folds in runs.items():
        if folds:
            cells = [difference([f[f"{part}.ours"] for f in folds], [f[f"{part}.baseline"] for f in folds]) for part in ("seen", "not_seen")]
            print(f"| {name} | {mean([f['share_seen'] for f in folds]):.2f} | " + " | ".join(f"{d:+.4f} ± {half:.4f}" for d, half in cells) + " |")


def study(work, title, names, machines, explain, figure, larger, others, baseline):
    everyone = ["baseline", *machines]
    found = {name: {m: folds_of(work, name, m) for m in everyone} for name in names}
    done = [name for name in names if found[name]["baseline"] and sum(f is not None for f in found[name].values()) > 1]
    whole = [name for name in done if all(f for m, f in found[name].items() if m not in ASIDE)]
    judged = [m for m in everyone if m not in ASIDE]
    print(f"## {title}\n")
    if not done:
        print("Nothing has been run to its end.\n")
        return
    better = "larger" if larger else "smaller"
    print(f"Ten folds, mean {figure.replace('_', ' ')} ({better} is better); in brackets the rank. Baseline: {baseline}.\n")
    print("| data | " + " | ".join(everyone) + " |\n" + "| --- " * (len(everyone) + 1) + "|")
    ranks = {m: [] for m in everyone}
    for name in done:
        figures = {m: mean([f[figure] for f in found[name][m]]) for m in everyone if found[name][m]}
        rank = rank_of({m: figures[m] for m in judged if m in figures}, larger)
        for m in judged if name in whole else []:
            ranks[m].append(rank[m])
        print(f"| {name} | " + " | ".join(f"{figures[m]:.4f}" + (f" ({rank[m]:g})" if m in rank else "") if m in figures else "not run" for m in everyone) + " |")
    if whole:
        print(f"| mean rank, {len(whole)} sets with all | " + " | ".join(f"{mean(ranks[m]):.2f}" if ranks[m] else "" for m in everyone) + " |")
    always = [m for m in judged if all(found[name][m] for name in done)]
    if len(always) < len(judged) and len(whole) < len(done):
        ranks = [rank_of({m: mean([f[figure] for f in found[name][m]]) for m in always}, larger) for name in done]
        print(f"| mean rank of those run on all {len(done)} | " + " | ".join(f"{mean([r[m] for r in ranks]):.2f}" if m in always else "" for m in everyone) + " |")
    print()
    print(f"Ours less the baseline in {figure.replace('_', ' ')}, with the 95 percent interval; **bold**: better, *slanted*: worse, where the interval is without 0.\n")
    differences(work, done, machines, figure, larger)
    explained = [name for name in done if any(folds_of(work, name, m) for m in explain)]
    if explained:
        print("Added to explain losses, likewise less the baseline (PLAN.md says what they are):\n")
        differences(work, explained, [m for m in explain if any(folds_of(work, name, m) for name in explained)], figure, larger)
    seen_and_not(work, done)
    for other in others:
        print(f"\nMean {other.replace('_', ' ')}:\n")
        print("| data | " + " | ".join(everyone) + " |\n" + "| --- " * (len(everyone) + 1) + "|")
        for name in done:
            print(f"| {name} | " + " | ".join(f"{mean([f[other] for f in found[name][m]]):.4f}" if found[name][m] else "" for m in everyone) + " |")
    print("\nProcessor seconds of all ten folds, the choice of C included (a busy machine: rough):\n")
    print("| data | " + " | ".join(everyone) + " |\n" + "| --- " * (len(everyone) + 1) + "|")
    for name in done:
        print(f"| {name} | " + " | ".join(f"{sum(f['seconds'] for f in found[name][m]):.0f}" if found[name][m] else "" for m in everyone) + " |")
    left = {f"{m} on {name}, {max(gaps):.2g} ({sum(g > 0 for g in gaps)} of {FOLDS} folds)" for name in done for m in everyone
            if (gaps := [f.get("gap_left", 0) for f in found[name][m] or []]) and max(gaps) > 0}
    if left:
        print(f"\nWhere the solver gave up before its gap of 1e-3 in the last fit of a fold, the largest that was left: {'; '.join(sorted(left))}.")
    missing = [name for name in names if name not in done]
    if missing:
        print(f"\nNot run: {', '.join(missing)}.")
    print()


def wrong_rows(work, name, machine):
    paths = [work / "figure3" / name / f"{machine}.{fold}.json" for fold in range(10 if name == "glass" else 1)]
    if not all(path.exists() for path in paths):
        return None
    runs = [json.loads(path.read_text()) for path in paths]
    return [row for r in runs for row in r["wrong"]], mean([r["train_error"] for r in runs])


def figure3(work):
    print("## Figure 3: constraint classification against one-vs-all\n")
    for reading, suffix, words in (("perceptron", "", "the perceptron, 20 epochs"), ("averaged", "", "the averaged perceptron, 20 epochs"),
                                   ("perceptron", ".long", "the perceptron, 500 epochs (added)"),
                                   ("averaged", ".long", "the averaged perceptron, 500 epochs (added)"),
                                   ("svm", "", "support vector machines, C chosen")):
        pairs = {name: [wrong_rows(work, name, f"{reading}.{m}{suffix}") for m in ("constraint", "ova")] for name in FIGURE3}
        done = [name for name in FIGURE3 if all(pairs[name])]
        print(f"{words[0].upper()}{words[1:]}: percent of test rows that are wrong (of training rows in brackets).\n")
        if not done:
            print("Not run.\n")
            continue
        print("| data | constraint | one-vs-all | difference |\n| --- | --- | --- | --- |")
        for name in done:
            (a, train_a), (b, train_b) = pairs[name]
            d = [x - y for x, y in zip(a, b)]
            half = 1.96 * math.sqrt(sum((v - mean(d)) ** 2 for v in d)) / len(d)
            mark = "" if abs(mean(d)) <= half else "**" if mean(d) < 0 else "*"
            print(f"| {name} | {100 * mean(a):.2f} ({100 * train_a:.2f}) | {100 * mean(b):.2f} ({100 * train_b:.2f}) | "
                  f"{mark}{100 * mean(d):+.2f} ± {100 * half:.2f}{mark} |")
        missing = [name for name in FIGURE3 if name not in done]
        print(f"\nNot run to the end: {', '.join(missing)}.\n" if missing and not suffix else "")

    print("Where all pairs can hold: percent of test rows that are wrong (of training rows).\n")
    for machine, words in (("hard.constraint", "the largest margin over pairs, `--method hard`"),
                           ("consistent.constraint", "the perceptron until an epoch makes no mistake, `--epochs 0` (added)")):
        for name in FIGURE3:
            found = wrong_rows(work, name, machine)
            if found:
                print(f"- {name}, {words}: {100 * mean(found[0]):.2f} ({100 * found[1]:.2f})")
    print()


def ova(work):
    paths = sorted((work / "ova" / "hrz-ova").glob("*.json"))
    print("## hrz-ova: nine weighted points\n")
    print("| machine | errors of 9 |\n| --- | --- |")
    for path in paths:
        found = json.loads(path.read_text())
        if "errors" in found:  # of many seeds
            errors = found["errors"]
            print(f"| {path.stem} (500 epochs, {len(errors)} seeds) | {min(errors)} to {max(errors)}, mean {mean(errors):.2f}; none with {errors.count(0)} seeds |")
        else:
            print(f"| {path.stem} | {sum(found['wrong'])} |")
    print()


def main():
    work = pathlib.Path(sys.argv[1])
    print("# HRZ: results\n\nMade by `table.py` from the runs that `run.sh` makes; PLAN.md says what they are.\n")
    findings = pathlib.Path(__file__).resolve().parent / "findings.md"
    if findings.exists():
        print(findings.read_text())
    figure3(work)
    ova(work)
    for kind in KINDS:
        study(work, *kind)


main()
