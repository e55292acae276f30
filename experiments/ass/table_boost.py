#!/usr/bin/env python3
"""Figure 3, Table 2 and Figures 4 and 7 of ASS, the paper beside ours: python3 table_boost.py build/ass/boost > RESULTS_BOOST.md

`python3 table_boost.py choose FILE` prints the number of rounds that the held-out errors of FILE choose.
"""
import csv
import json
import math
import pathlib
import statistics
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROWS = {"dermatology": 360, "satimage": 2000, "glass": 210, "segmentation": 2310, "ecoli": 330, "pendigits": 3498,
        "yeast": 1480, "vowel": 462, "soybean": 376, "thyroid": 9170, "audiology": 26, "isolet": 1559,
        "letter": 4000}  # that are tested, in the order of Table 1
SETS = list(ROWS)
FOLDED = {"dermatology", "glass", "segmentation", "ecoli", "yeast", "thyroid"}
CODES = ["ova", "complete", "ovo", "dense", "sparse"]  # in the order of Table 2
FIGURE_ORDER = ["ova", "ovo", "complete", "dense", "sparse"]  # of Figure 7
DECODINGS = {"hamming": "Hamming decoding", "sigmoid": "loss-based decoding (L_y)",
             "exp": "loss-based decoding (exponential)"}
TO_EXPLAIN = ["letter", "pendigits", "satimage", "isolet", "vowel"]


# ---- what was run ----

def load(path):
    return json.loads(path.read_text()) if path.exists() else None


def stages(run):
    """{rounds: {decoding: error}} of an evaluation by rounds."""
    return {stage["rounds"]: {"exp": stage["loss_decoding_error"], "hamming": stage["hamming_error"]}
            for stage in run["rounds"]["stages"]}


def choose(run):
    """The number of rounds with the smallest held-out error; of equal ones the largest."""
    errors = {rounds: error["exp"] for rounds, error in stages(run).items()}
    return max(rounds for rounds, error in errors.items() if error == min(errors.values()))


def folds_of(name):
    return range(1, 11) if name in FOLDED else [0]


class Table:
    """Errors in percent, None where something was not run: error[set, code, decoding], and rounds[set, code], one for each fold."""

    def __init__(self):
        self.error = {(n, c, d): None for n in SETS for c in CODES for d in DECODINGS}
        self.rounds = {}

    def put(self, name, code, decode, errors):
        """Folds are equal, so their mean is the error over all tested rows."""
        self.error[name, code, decode] = 100 * statistics.mean(errors)


def read_paper():
    paper = Table()
    with open(HERE / "paper_table2.csv", newline="") as file:
        for row in csv.DictReader(file):
            for code in CODES:
                if row[code]:
                    paper.error[row["set"], code, row["decode"]] = float(row[code])
    return paper


def read_chosen(work):
    """The main reading, and how many of its folds have the same Hamming error from both of their trainings."""
    ours, same, checked = Table(), 0, 0
    for name in SETS:
        for code in CODES:
            runs = [[load(work / "table2" / f"{name}.{code}.{fold}.{part}.json") for part in ("hold", "exp", "sigmoid")]
                    for fold in folds_of(name)]
            if not all(hold and exp for hold, exp, _ in runs):
                continue
            rounds = [choose(hold) for hold, _, _ in runs]
            at = [stages(exp)[t] for t, (_, exp, _) in zip(rounds, runs)]
            ours.rounds[name, code] = rounds
            for decode in ("exp", "hamming"):
                ours.put(name, code, decode, [errors[decode] for errors in at])
            if not all(sigmoid for _, _, sigmoid in runs):
                continue
            ours.put(name, code, "sigmoid", [sigmoid["error"] for _, _, sigmoid in runs])
            checked += len(runs)
            same += sum(errors["hamming"] == sigmoid["code"]["hamming_error"]
                        for errors, (_, _, sigmoid) in zip(at, runs))
    return ours, same, checked


def read_at(work, folder, rounds=None):
    """The reading in which all make `rounds` rounds, or the most they have made."""
    ours = Table()
    for name in SETS:
        for code in CODES:
            runs = [load(work / folder / f"{name}.{code}.{fold}.exp.json") for fold in folds_of(name)]
            if not all(runs):
                continue
            by_rounds = [stages(run) for run in runs]
            last = [rounds or max(stage) for stage in by_rounds]
            if not all(t in stage for t, stage in zip(last, by_rounds)):
                continue
            ours.rounds[name, code] = last
            for decode in ("exp", "hamming"):
                ours.put(name, code, decode, [stage[t][decode] for t, stage in zip(last, by_rounds)])
    return ours


# ---- text ----

def markdown(header, rows):
    print("| " + " | ".join(header) + " |")
    print("|" + " --- |" * len(header))
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print()


def percent(error):
    return "-" if error is None else f"{error:.1f}"


def agree(name, printed, found):
    """Two errors in percent, on the rows that are tested: within two standard errors of their difference."""
    p, q, n = printed / 100, found / 100, ROWS[name]
    deviation = 100 * math.sqrt((p * (1 - p) + q * (1 - q)) / n)
    return abs(printed - found) <= 2 * max(deviation, 100 / n) + 1e-9


def cell(name, printed, found):
    mark = "" if printed is None or found is None or agree(name, printed, found) else " *"
    return f"{percent(printed)} / {percent(found)}{mark}"


# ---- Figure 3 ----

def figure3_runs(work, code, k):
    runs = [load(work / "figure3" / f"{code}.{k}.{number}.json") for number in range(1, 11)]
    return [run["code"] for run in runs if run]


def figure3(work):
    print("## Figure 3: errors in percent, means of ten test sets (standard error)")
    print()
    figures = {"binary": "binary_error", "Hamming": "hamming_error", "loss-based": "loss_decoding_error"}
    mean, rows = {}, []
    for k in range(3, 9):
        row = [str(k)]
        for code in ("complete", "ova"):
            runs = figure3_runs(work, code, k)
            for title, figure in figures.items():
                values = [100 * run[figure] for run in runs]
                if len(values) < 2:
                    row.append("-")
                    continue
                mean[code, title, k] = statistics.mean(values)
                row.append(f"{mean[code, title, k]:.2f} ({statistics.stdev(values) / math.sqrt(len(values)):.2f})")
        rows.append(row)
    markdown(["k"] + [f"{code}: {title}" for code in ("complete", "ova") for title in figures], rows)
    if len(mean) == 36:
        figure3_verdicts(mean)


def figure3_verdicts(mean):
    gap = {(code, k): mean[code, "Hamming", k] - mean[code, "loss-based", k]
           for code in ("complete", "ova") for k in range(3, 9)}
    smallest = min(gap, key=gap.get)
    print(f"- loss-based below Hamming by at least {gap[smallest]:.1f} points ({smallest[0]}, k = {smallest[1]}); 10 asked for: "
          f"{'yes' if gap[smallest] >= 10 else 'no'}")
    apart = max(abs(mean["complete", "loss-based", k] - mean["ova", "loss-based", k]) for k in range(3, 9))
    print(f"- loss-based errors of the two codes at most {apart:.2f} points apart; 0.5 asked for: "
          f"{'yes' if apart <= 0.5 else 'no'}")
    higher = [k for k in range(3, 9) if mean["complete", "binary", k] > mean["ova", "binary", k]]
    print(f"- the average binary error of the complete code is the higher one for k = {', '.join(map(str, higher))}; from 5 on "
          f"asked for: {'yes' if set(higher) >= {5, 6, 7, 8} else 'no'}")
    print()


# ---- Table 2 ----

def table2(paper, ours, decodings=DECODINGS):
    for decode in decodings:
        print(f"{DECODINGS[decode]}, paper / ours, errors in percent; * more than two standard errors apart")
        print()
        markdown(["set"] + CODES, [[name] + [cell(name, paper.error[name, c, decode], ours.error[name, c, decode])
                                             for c in CODES] for name in SETS])
    beyond_chance(paper, ours, decodings)


def beyond_chance(paper, ours, decodings):
    cells = [(key[0], p, ours.error[key]) for key, p in paper.error.items()
             if key[2] in decodings and p is not None and ours.error[key] is not None]
    far = [(name, p, q) for name, p, q in cells if not agree(name, p, q)]
    print(f"{len(cells) - len(far)} of {len(cells)} cells agree; of the {len(far)} others ours is lower in "
          f"{sum(q < p for _, p, q in far)}. By set: " + ", ".join(
              f"{name} {sum(n == name for n, _, _ in far)} of {sum(n == name for n, _, _ in cells)}"
              for name in SETS if any(n == name for n, _, _ in far)) + ".")
    print()


def rounds_chosen(ours):
    print("Rounds chosen on the training data (of ten folds: median [least, most])")
    print()

    def text(rounds):
        if rounds is None:
            return "-"
        if len(rounds) == 1:
            return str(rounds[0])
        return f"{statistics.median(rounds):.0f} [{min(rounds)}, {max(rounds)}]"

    markdown(["set"] + CODES, [[name] + [text(ours.rounds.get((name, c))) for c in CODES] for name in SETS])


def figure4(paper, ours, losses=("sigmoid", "exp")):
    for loss in losses:
        printed, found = gains(paper, loss), gains(ours, loss)
        print(f"Figure 4: {DECODINGS[loss]} minus Hamming, in points, paper / ours")
        print()
        markdown(["set"] + CODES, [[name] + [" / ".join(f"{g[name, c]:+.1f}" if (name, c) in g else "-"
                                                        for g in (printed, found)) for c in CODES] for name in SETS])
        for who, g in (("the paper", printed), ("ours", found)):
            ova = [g[name, "ova"] for name in SETS if (name, "ova") in g]
            print(f"- {who}: of {len(g)} cells loss-based is better in {sum(v < -0.001 for v in g.values())}, worse in "
                  f"{sum(v > 0.001 for v in g.values())}, mean {sum(g.values()) / max(len(g), 1):+.2f} points; one-against-all: at "
                  f"least as good on {sum(v <= 0.001 for v in ova)} of {len(ova)} sets")
        print()


def gains(errors, loss):
    """Loss-based minus Hamming."""
    return {(name, code): errors.error[name, code, loss] - errors.error[name, code, "hamming"]
            for name in SETS for code in CODES
            if errors.error[name, code, loss] is not None and errors.error[name, code, "hamming"] is not None}


def figure7(paper, ours):
    print("Figure 7: error of the row's code minus that of the column's, exponential, mean over the sets that both have, "
          "paper / ours")
    print()

    def mean_difference(errors, a, b):
        both = [errors.error[n, a, "exp"] - errors.error[n, b, "exp"] for n in SETS
                if errors.error[n, a, "exp"] is not None and errors.error[n, b, "exp"] is not None]
        return f"{statistics.mean(both):+.1f}" if both else "-"

    markdown([""] + FIGURE_ORDER, [[a] + ["" if a == b else
                                          f"{mean_difference(paper, a, b)} / {mean_difference(ours, a, b)}"
                                          for b in FIGURE_ORDER] for a in FIGURE_ORDER])
    for who, errors in (("the paper", paper), ("ours", ours)):
        best = {name: best_codes(errors, name) for name in SETS}
        print(f"- {who}, best code by set: " + "; ".join(f"{name} {' '.join(codes) or '-'}" for name, codes in best.items()))
    print()


def best_codes(errors, name):
    have = {code: errors.error[name, code, "exp"] for code in CODES if errors.error[name, code, "exp"] is not None}
    return [code for code, error in have.items() if error <= min(have.values()) + 0.001]


def by_rounds(work, paper):
    print("## Test error by number of rounds (confidence-rated, exponential decoding); the last column is the paper's")
    print()
    print("Shown to tell what the number of rounds changes; nothing was chosen by it.")
    print()
    grid = [10, 20, 50, 100, 200, 500, 1000]
    at = {t: read_at(work, "table2", t) for t in grid}
    cells = [(name, code) for name in SETS for code in CODES if at[grid[0]].error[name, code, "exp"] is not None]
    markdown(["set", "code"] + [str(t) for t in grid] + ["paper"],
             [[name, code] + [percent(at[t].error[name, code, "exp"]) for t in grid] + [percent(paper.error[name, code, "exp"])]
              for name, code in cells])
    print("Distance from the paper's figures, mean over the cells that have so many rounds, without segmentation: " + ", ".join(
        f"{t} rounds {distance(paper, at[t]):.2f} points" for t in grid) + ".")
    print()


def distance(paper, ours):
    return statistics.mean(abs(ours.error[key] - paper.error[key]) for key in paper.error
                           if key[0] != "segmentation" and ours.error[key] is not None and paper.error[key] is not None)


def draws(work, paper):
    readings = [read_at(work, folder) for folder in ("table2", "seed2", "seed3", "seed4", "seed5")]
    rows = []
    for name in ("vowel", "pendigits", "letter"):
        for code in ("dense", "sparse"):
            row = [name, code]
            for decode in ("hamming", "exp"):
                errors = [r.error[name, code, decode] for r in readings if r.error[name, code, decode] is not None]
                if len(errors) < 2:
                    return
                row.append(f"{percent(paper.error[name, code, decode])}; ({len(errors)}) {statistics.mean(errors):.1f} "
                           f"[{min(errors):.1f}, {max(errors):.1f}]")
            rows.append(row)
    print("## Draws of the random codes, all rounds: mean [least, largest] error, the paper's before it")
    print()
    markdown(["set", "code", "Hamming", "exponential"], rows)
    weaker = read_at(work, "paper")
    print(f"letter, sparse, drawn by the paper's weaker rule (`--paper`): Hamming {percent(weaker.error['letter', 'sparse', 'hamming'])}, "
          f"exponential {percent(weaker.error['letter', 'sparse', 'exp'])}.")
    print()


def to_explain(paper, ours):
    far = [f"{name} {code} ({DECODINGS[decode].split(' decoding')[0]}{'' if decode == 'hamming' else ', ' + decode}: "
           f"{percent(paper.error[name, code, decode])} / {percent(ours.error[name, code, decode])})"
           for name in TO_EXPLAIN for code in CODES for decode in DECODINGS
           if paper.error[name, code, decode] is not None and ours.error[name, code, decode] is not None
           and not agree(name, paper.error[name, code, decode], ours.error[name, code, decode])]
    print(f"Of {', '.join(TO_EXPLAIN)}, cells that do not agree: {'; '.join(far) or 'none'}.")
    print()


def main_reading(paper, ours, same, checked):
    print("## Table 2, main reading: confidence-rated, rounds chosen on the training data")
    print()
    table2(paper, ours)
    to_explain(paper, ours)
    rounds_chosen(ours)
    print(f"Two trainings of a machine, read off after some of its rounds and made with so many, have the same Hamming error in {same} of "
          f"{checked} folds.")
    print()
    figure4(paper, ours)
    figure7(paper, ours)


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "choose":
        print(choose(load(pathlib.Path(sys.argv[2]))))
        return
    work, paper = pathlib.Path(sys.argv[1]), read_paper()
    ours, same, checked = read_chosen(work)
    print("# ASS, Figure 3, Table 2 and Figures 4 and 7: the paper's figures and ours")
    print()
    print("Made by `sh experiments/ass/run_boost.sh`; PLAN.md says what was decided before.")
    print()
    findings = HERE / "findings_boost.md"
    if findings.exists():
        print(findings.read_text().strip())
        print()
    figure3(work)
    if ours.rounds:
        main_reading(paper, ours, same, checked)
    for title, folder in (("confidence-rated, all rounds", "table2"), ("discrete, all rounds", "discrete"),
                          ("confidence-rated, all rounds, exact thresholds", "exact")):
        side = read_at(work, folder)
        if not side.rounds:
            continue
        print(f"## Side reading: {title}")
        print()
        table2(paper, side, ("hamming", "exp"))
        figure4(paper, side, ("exp",))
        if folder != "exact":
            figure7(paper, side)
    draws(work, paper)
    if ours.rounds:
        by_rounds(work, paper)


if __name__ == "__main__":
    main()
