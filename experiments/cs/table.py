#!/usr/bin/env python3
"""RESULTS.md from the runs in a folder: table.py FOLDER RESULTS.md writes it anew. A part whose runs are not all there keeps
the section that it has. See PLAN.md."""
import collections
import json
import math
import pathlib
import statistics
import sys


def load(path):
    return json.loads(path.read_text())


# ---- Figure 5 -----------------------------------------------------------------------------------

def figure5(folder):
    runs = {path.stem: load(path) for path in folder.glob("*.json")}
    sizes = sorted({int(name.split(".")[1]) for name in runs if name.startswith("quadprog")})
    yield "## Figure 5: SPOC against quadprog\n"
    yield ("Processor seconds of the solvers alone, means over three sets; k = 4 quadrants, linear kernel, C = 1. Values: the largest "
           "relative difference between the duals, over the three sets.\n")
    yield "| m | SPOC, gap 1e-3 | SPOC, gap 1e-6 | quadprog | quadprog / SPOC (1e-6) | values |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for m in sizes:
        rough, fine, general, apart = [], [], [], []
        for which in (1, 2, 3):
            rough.append(runs[f"spoc.{m}.{which}.1.1e-3"]["work"])
            exact = runs[f"spoc.{m}.{which}.1.1e-6"]
            other = runs[f"quadprog.{m}.{which}.1"]
            fine.append(exact["work"])
            general.append(other["seconds"])
            apart.append(abs(exact["dual"] - other["value"]) / other["value"])
        mean = statistics.fmean
        ratio = f"{mean(general) / mean(fine):.0f}" if mean(general) >= 0.01 else "below the clock"
        yield f"| {m} | {mean(rough):.6f} | {mean(fine):.6f} | {mean(general):.4f} | {ratio} | {max(apart):.0e} |"
    yield "\nThe side readings, m = 250, the first set:\n"
    yield "| C | SPOC, gap 1e-6 | quadprog | ratio | values |"
    yield "| --- | --- | --- | --- | --- |"
    for strength in ("0.1", "1", "10"):
        exact = runs[f"spoc.250.1.{strength}.1e-6"]
        other = runs[f"quadprog.250.1.{strength}"]
        apart = abs(exact["dual"] - other["value"]) / other["value"]
        yield (f"| {strength} | {exact['work']:.6f} | {other['seconds']:.3f} | {other['seconds'] / exact['work']:.0f} | "
               f"{apart:.0e} |")
    yield ""


# ---- Table 1 ------------------------------------------------------------------------------------

def table1(folder):
    runs = {path.stem: load(path) for path in folder.glob("*.json")}
    m, k, ell = 1000, 10, 45
    yield "## Table 1: sizes of the programs\n"
    yield (f"m = {m}, k = {k}, l = {ell}. The paper's formulas, then what our programs have: p = 1 with M = P - N, P, N >= 0; p = infinity "
           "with M = u - g, 0 <= u <= 2 g; no rows for r = y. p = 2 is solved by SPOC, which has no matrix of constraints.\n")
    yield "| p | program | variables, paper | constraints, paper | variables, ours | constraints, ours | entries |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    for norm in ("1", "inf"):
        for way in ("primal", "dual"):
            run = runs.get(f"{norm}.{way}")
            if not run:
                continue
            yield (f"| {norm} | {way} | {run['table1_variables']} | {run['table1_constraints']} | {run['columns']} | {run['rows']} | "
                   f"{run['entries']} |")
    yield f"| 2 | primal | {m + k * ell} | {k * m} | | | |"
    yield f"| 2 | dual | {k * m} | {m} | {k * m} | {m} | |"
    yield "\nProcessor seconds, one thread, soft form (usps; C = 1 for p = 1, 0.01 for p = infinity):\n"
    yield "| p | way | seconds | pivots | value |"
    yield "| --- | --- | --- | --- | --- |"
    words = {"ours": "`pt_design_lp`: few rows of the primal", "primal": "Clp, whole primal", "dual": "Clp, whole dual",
             "presolve-primal": "Clp, whole primal, presolve", "presolve-dual": "Clp, whole dual, presolve",
             "unscaled-primal": "Clp, whole primal, unscaled", "unscaled-dual": "Clp, whole dual, unscaled"}
    for norm in ("1", "inf"):
        for way, word in words.items():
            run = runs.get(f"{norm}.{way}")
            if not run:
                yield f"| {norm} | {word} | not finished | | |"
                continue
            yield f"| {norm} | {word} | {run['work']:.2f} | {run['pivots']} | {run['value']:.10g} |"
    yield ("\nClp has its own tolerances, 1e-7, and its clock starts when the program is loaded. Where the bounds of the dual, C, are not far "
           "above that tolerance, it may end a little off the value.\n")


# ---- the study ----------------------------------------------------------------------------------

SETS = ["vowel", "soybean", "satimage", "pendigits", "letter", "isolet"]
DESIGNS = {"l2": "p = 2", "sign": "signs", "rbf": "p = 2, Gaussian", "rbfsign": "p = 2, Gaussian, sides",
           "inner": "undesigned, inner product", "ternary": "-1, 0, 1", "ternarysign": "-1, 0, 1, sides", "l1": "p = 1", "linf": "p = inf"}
EVERYWHERE = ("l2", "sign")
PAIRS = ("rbf", "rbfsign", "inner", "ternary", "ternarysign")
PROGRAMS = ("l1", "linf")
LEARNERS = ("stumps", "linear")
T = {5: 2.7764, 10: 2.2622}  # Student's t, one degree of freedom less than folds, 97.5 percent


def interval(apart):
    """Mean and half of the 95 percent interval; a tenth is tested each time, and training sets overlap (Nadeau and Bengio)."""
    folds = len(apart)
    return statistics.fmean(apart), T[folds] * math.sqrt(1 / folds + 1 / 9) * statistics.stdev(apart)


class Study:
    def __init__(self, folder):
        self.errors = collections.defaultdict(dict)  # (set, kind): fold: (wrong, n)
        for path in folder.glob("*.json"):
            name, *kind, fold = path.stem.split(".")
            run = load(path)
            self.errors[name, ".".join(kind)][int(fold)] = (run["error"], run["data"]["n"])
            if "code" in run:
                hamming = run["code"]["hamming_error"]
                self.errors[name, ".".join(kind[:-1] + ["hamming"])][int(fold)] = (hamming, run["data"]["n"])

    def error(self, name, kind):
        """In percent of all tested rows; None where folds are missing."""
        folds = self.errors.get((name, kind), {})
        if len(folds) not in T:
            return None
        return 100 * sum(error * n for error, n in folds.values()) / sum(n for _, n in folds.values())

    def difference(self, name, kind, base):
        """Mean over folds of the error less that of base, in points, and half of its 95 percent interval."""
        ours, theirs = self.errors.get((name, kind), {}), self.errors.get((name, base), {})
        if len(ours) not in T or ours.keys() != theirs.keys():
            return None
        return interval([100 * (ours[fold][0] - theirs[fold][0]) for fold in sorted(ours)])


def shown_error(value):
    return "" if value is None else f"{value:.2f}"


def shown_difference(value):
    if value is None:
        return ""
    mean, half = value
    mark = " **" + ("worse" if mean > 0 else "better") + "**" if abs(mean) > half else ""
    return f"{mean:+.2f} [{mean - half:+.2f}, {mean + half:+.2f}]{mark}"


def compared(runs, rows, designs):
    """A table of errors, and differences to the discrete code; left out where there are none."""
    yield "| set | learner | code | loss | hamming |" + "".join(f" {DESIGNS[design]} | difference |" for design in designs)
    yield "| --- " * (5 + 2 * len(designs)) + "|"
    for name, learner, code in rows:
        kind = f"{learner}.{code}"
        base = f"{kind}.discrete"
        cells = [name, learner, code, shown_error(runs.error(name, base)), shown_error(runs.error(name, f"{kind}.hamming"))]
        for design in designs:
            cells.append(shown_error(runs.error(name, f"{kind}.{design}")))
            cells.append(shown_difference(runs.difference(name, f"{kind}.{design}", base)))
        yield "| " + " | ".join(cells) + " |"
    yield ""


def study(folder):
    runs = Study(folder)
    yield "## The study: designed codes against discrete ones\n"
    yield ("Errors in percent over ten folds (isolet, stumps on all pairs and both learners on the dense code: five of them); differences to the discrete code with the learner's own loss, in points, with their 95 percent "
           "intervals on paired folds. Marked: intervals without 0. Empty: not run (PLAN.md, findings.md).\n")
    for learner in LEARNERS:
        yield f"### {learner}\n"
        yield from compared(runs, [(name, learner, code) for name in SETS for code in ("ova", "ovo", "dense")], EVERYWHERE)
    yield ("### All pairs\n\nWhat the losses come from: a Gaussian kernel on the outputs, the same on the sides (signs) of the outputs, the discrete code "
           "of all pairs read by the inner product with its outputs, discrete design with zeros, and the same on sides.\n")
    yield from compared(runs, [(name, learner, "ovo") for learner in LEARNERS for name in SETS], PAIRS)
    yield "### Linear programs\n"
    yield from compared(runs, [("vowel", learner, "ova") for learner in LEARNERS], PROGRAMS)
    yield from verdict(runs)
    yield "### Machines without a code\n"
    yield "| set | spoc, linear | class-tree, stumps | class-tree, linear |"
    yield "| --- | --- | --- | --- |"
    for name in SETS:
        cells = [shown_error(runs.error(name, kind)) for kind in ("spoc.linear", "class-tree.stumps", "class-tree.linear")]
        yield f"| {name} | " + " | ".join(cells) + " |"
    yield ""


def verdict(runs):
    yield "| design | better | not told apart | worse |"
    yield "| --- | --- | --- | --- |"
    for design, word in DESIGNS.items():
        counts = collections.Counter()
        for (name, kind) in list(runs.errors):
            if not kind.endswith(f".{design}"):
                continue
            value = runs.difference(name, kind, kind.rsplit(".", 1)[0] + ".discrete")
            if value:
                mean, half = value
                counts["even" if abs(mean) <= half else "worse" if mean > 0 else "better"] += 1
        yield f"| {word} | {counts['better']} | {counts['even']} | {counts['worse']} |"
    yield ""


PARTS = {"figure5": figure5, "table1": table1, "study": study}
TITLES = {"figure5": "## Figure 5", "table1": "## Table 1", "study": "## The study"}


def section(text, title):
    """What a file of results has under a title, as its lines would be made; empty where it has none."""
    begin = text.find(title)
    if begin < 0:
        return ""
    end = text.find("\n## ", begin)
    return text[begin:].rstrip() + "\n" if end < 0 else text[begin:end].rstrip() + "\n"


def made(name, folder):
    """The section, or None where runs are missing."""
    if not folder.is_dir():
        return None
    try:
        return "\n".join(PARTS[name](folder))
    except KeyError as missing:
        print(f"table.py: {name} has no run {missing}: its section stays as it was", file=sys.stderr)
        return None


def main():
    work, results = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    before = results.read_text() if results.exists() else ""
    parts = ["# CS: results\n\nMade by `table.py` from the runs that `run.sh` makes; PLAN.md says what they are.\n"]
    for name in PARTS:
        text = made(name, work / name)
        parts.append(section(before, TITLES[name]) if text is None else text)
    results.write_text("\n".join(part for part in parts if part))


if __name__ == "__main__":
    main()
