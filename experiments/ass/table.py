#!/usr/bin/env python3
"""Table 3 and Figures 5 and 6 of ASS, the paper beside ours: python3 table.py build/ass > RESULTS.md"""
import csv
import json
import math
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
SETS = ["dermatology", "satimage", "glass", "ecoli", "pendigits", "yeast", "vowel", "soybean"]
ROWS = {"dermatology": 366, "satimage": 2000, "glass": 214, "ecoli": 336, "pendigits": 3498, "yeast": 1484,
        "vowel": 462, "soybean": 376}  # that are tested
CODES = ["ova", "complete", "ovo", "dense", "sparse"]  # in the order of Table 3
FIGURE_ORDER = ["ova", "ovo", "complete", "dense", "sparse"]  # of Figures 6 and 7
READINGS = {"main": "C 1, coef0 1", "small-C": "C 0.001, coef0 1", "homogeneous": "C 1, coef0 0"}


def read_paper():
    with open(HERE / "paper_table3.csv", newline="") as file:
        return {(row["set"], code, row["decode"]): float(row[code]) if row[code] else None
                for row in csv.DictReader(file) for code in CODES}


def read_ours(work, reading):
    errors = {}
    for name in SETS:
        for code in CODES:
            for decode in ("hamming", "hinge"):
                path = work / reading / f"{name}.{code}.{decode}.json"
                errors[name, code, decode] = 100 * json.loads(path.read_text())["error"] if path.exists() else None
    return errors


def markdown(header, rows):
    print("| " + " | ".join(header) + " |")
    print("|" + " --- |" * len(header))
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print()


def both(paper, ours):
    return " / ".join("-" if e is None else f"{e:.1f}" for e in (paper, ours))


def table3(paper, ours):
    for decode, title in (("hamming", "Hamming decoding"), ("hinge", "loss-based decoding (hinge)")):
        print(f"{title}, paper / ours, errors in percent")
        print()
        markdown(["set"] + CODES, [[name] + [both(paper[name, c, decode], ours[name, c, decode]) for c in CODES]
                                   for name in SETS])


def gains(errors):
    """Loss-based minus Hamming."""
    return {(name, code): errors[name, code, "hinge"] - errors[name, code, "hamming"]
            for name in SETS for code in CODES
            if errors[name, code, "hinge"] is not None and errors[name, code, "hamming"] is not None}


def figure5(paper, ours):
    print("Figure 5: loss-based minus Hamming, in points, paper / ours")
    print()
    printed, found = gains(paper), gains(ours)
    cell = {key: " / ".join(f"{g[key]:+.1f}" if key in g else "-" for g in (printed, found))
            for key in set(printed) | set(found)}
    markdown(["set"] + CODES, [[name] + [cell.get((name, c), "-") for c in CODES] for name in SETS])
    for who, g in (("the paper", printed), ("ours", found)):
        better = sum(v < -0.05 for v in g.values())
        worse = sum(v > 0.05 for v in g.values())
        print(f"- {who}: of {len(g)} cells loss-based is better in {better}, worse in {worse}, mean "
              f"{sum(g.values()) / max(len(g), 1):+.2f} points")
    print()


def figure6(paper, ours):
    print("Figure 6: error of the row's code minus that of the column's, loss-based, mean over the sets that both have, "
          "paper / ours")
    print()

    def mean_difference(errors, a, b):
        both_have = [errors[n, a, "hinge"] - errors[n, b, "hinge"] for n in SETS
                     if errors[n, a, "hinge"] is not None and errors[n, b, "hinge"] is not None]
        return f"{sum(both_have) / len(both_have):+.1f}" if both_have else "-"

    markdown([""] + FIGURE_ORDER, [[a] + ["" if a == b else
                                          f"{mean_difference(paper, a, b)} / {mean_difference(ours, a, b)}"
                                          for b in FIGURE_ORDER] for a in FIGURE_ORDER])
    for who, errors in (("the paper", paper), ("ours", ours)):
        worst = [max((c for c in CODES if errors[n, c, "hinge"] is not None), key=lambda c: errors[n, c, "hinge"],
                     default="-") for n in SETS]
        best = [min((c for c in CODES if errors[n, c, "hinge"] is not None), key=lambda c: errors[n, c, "hinge"],
                    default="-") for n in SETS]
        print(f"- {who}: best code by set: {', '.join(best)}; worst: {', '.join(worst)}")
    print()


def beyond_chance(paper, ours):
    """Cells whose two errors differ by more than two standard errors of their difference."""
    far, count, lower = [], 0, 0
    for key, printed in paper.items():
        found = ours[key]
        if printed is None or found is None:
            continue
        count += 1
        p, q, n = printed / 100, found / 100, ROWS[key[0]]
        deviation = 100 * math.sqrt((p * (1 - p) + q * (1 - q)) / n)
        if abs(printed - found) > 2 * max(deviation, 100 / n):
            far.append(key)
            lower += found < printed
    print(f"{len(far)} of {count} cells differ from the paper's by more than two standard errors (ours lower in {lower}).")
    print()


def draws(work, paper):
    print("## Five draws of the random codes (main reading): mean [least, largest] error, the paper's before it")
    print()
    rows = []
    for name in ("satimage", "pendigits", "vowel", "soybean"):
        for code in ("dense", "sparse"):
            row = [name, code]
            for decode in ("hamming", "hinge"):
                paths = [work / "main" / f"{name}.{code}.{decode}{seed}.json" for seed in ("", ".2", ".3", ".4", ".5")]
                errors = [100 * json.loads(p.read_text())["error"] for p in paths if p.exists()]
                row.append(f"{paper[name, code, decode]:.1f}; ({len(errors)}) " + (
                    f"{sum(errors) / len(errors):.1f} [{min(errors):.1f}, {max(errors):.1f}]" if errors else "not run"))
            rows.append(row)
    markdown(["set", "code", "Hamming", "loss-based"], rows)


def main():
    work, paper = pathlib.Path(sys.argv[1]), read_paper()
    print("# ASS, Table 3 and Figures 5 and 6: the paper's figures and ours")
    print()
    print("Made by `sh experiments/ass/run.sh`; PLAN.md says what was decided before.")
    print()
    findings = HERE / "findings.md"
    if findings.exists():
        print(findings.read_text().strip())
        print()
    for reading, options in READINGS.items():
        ours = read_ours(work, reading)
        print(f"## Reading {reading}: {options}")
        print()
        table3(paper, ours)
        beyond_chance(paper, ours)
        figure5(paper, ours)
        figure6(paper, ours)
    draws(work, paper)


if __name__ == "__main__":
    main()
