#!/usr/bin/env python3
"""Automatic sigma and ridge against a 10-fold search of 81 points; writes RESULTS.md. See PLAN.md.

    run.py [--train-only] [SET[:ROWS]...]

With ROWS the search looks at a stratified sample of that many training rows, where there are more.
POLYTOMY names another tool than build/polytomy.
--train-only stops before the test sets are touched: what a rule may be judged by.
"""
import argparse
import csv
import gzip
import json
import os
import pathlib
import random
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOL = pathlib.Path(os.environ.get("POLYTOMY", ROOT / "build" / "polytomy"))
WORK = ROOT / "build" / "experiments" / "auto"
SETS = ["satimage", "isolet", "usps", "pendigits", "letter:4000"]
GRID = "ridge=2^-4:2^4,sigma=2^-4:2^4"
BAR = 0.3  # points


def answer(name, *command):
    """The JSON answer of the tool, from before if it was asked before."""
    kept = WORK / f"{name}.json"
    if not kept.exists():
        done = subprocess.run([str(TOOL), *map(str, command), "--threads", "2", "--json"],
                              capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
        kept.write_text(done.stdout)
        print(f"{name}: done", flush=True)
    return json.loads(kept.read_text())


def stratified(source, rows, to):
    """A seeded sample with the classes in proportion, in the order of the file."""
    with gzip.open(source, "rt") as file:
        head, *lines = list(csv.reader(file))
    groups = {}
    for number, line in enumerate(lines):
        groups.setdefault(line[-1], []).append(number)
    shuffled = random.Random(1)
    chosen = []
    for members in (groups[label] for label in sorted(groups)):
        shuffled.shuffle(members)
        chosen += [(place / len(members), number) for place, number in enumerate(members)]
    keep = sorted(number for _, number in sorted(chosen)[:rows])
    with open(to, "w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([head] + [lines[number] for number in keep])


def chosen_by(search):
    return search["best"]["parameters"]


def point_options(parameters):
    return ["--sigma", repr(parameters["sigma"]), "--ridge", repr(parameters["ridge"])]


def on_training_rows(name, data, most):
    """Both choices and their 10-fold errors; the test set is not opened."""
    train = searched = data / name / "train.csv.gz"
    auto = answer(f"{name}-auto", "train", train, "--merge", "no", "-o", WORK / f"{name}-auto.model")
    rows = min(auto["data"]["n"], most)
    if rows < auto["data"]["n"]:
        searched = WORK / f"{name}-{rows}.csv"
        if not searched.exists():
            stratified(train, rows, searched)
    search = answer(f"{name}-search-{rows}", "cv", searched, "--grid", GRID, "--folds", "10")
    held_out = answer(f"{name}-auto-folds-{rows}", "cv", searched, *point_options(auto["parameters"]),
                      "--folds", "10")
    return train, auto, search, held_out


def on_test_rows(name, data, train, search):
    test = data / name / "test.csv.gz"
    grid_name = f"{name}-grid-{search['data']['n']}"
    grid = answer(grid_name, "train", train, "--merge", "no", "-o", WORK / f"{grid_name}.model", *point_options(chosen_by(search)))
    return (answer(f"{name}-auto-test", "eval", WORK / f"{name}-auto.model", test),
            answer(f"{grid_name}-test", "eval", WORK / f"{grid_name}.model", test), grid)


def point_text(parameters):
    return f"{parameters['sigma']:.4g}, {parameters['ridge']:.4g}"


def percent(error):
    return f"{100 * error:.2f}"


HEAD = ["set", "rows (searched)", "auto: sigma, ridge", "10-fold %", "test %", "seconds", "grid: sigma, ridge", "10-fold %",
        "test %", "seconds", "test: auto - grid, points", f"<= {BAR}"]


def row(asked, data, train_only):
    name, _, most = asked.partition(":")
    train, auto, search, held_out = on_training_rows(name, data, int(most or sys.maxsize))
    n = f"{auto['data']['n']} ({search['data']['n']})"
    mine = [point_text(auto["parameters"]), percent(held_out["error"])]
    theirs = [point_text(chosen_by(search)), percent(search["error"])]
    if train_only:
        return [name, n, *mine, "", f"{auto['seconds']['train']:.1f}", *theirs, "",
                f"{search['seconds']['train']:.1f}", "", ""]
    auto_test, grid_test, grid = on_test_rows(name, data, train, search)
    difference = 100 * (auto_test["error"] - grid_test["error"])
    seconds = search["seconds"]["train"] + grid["seconds"]["train"]
    return [name, n, *mine, percent(auto_test["error"]), f"{auto['seconds']['train']:.1f}", *theirs,
            percent(grid_test["error"]), f"{seconds:.1f}", f"{difference:+.2f}",
            "yes" if difference <= BAR else "no"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--train-only", action="store_true")
    parser.add_argument("sets", nargs="*", default=SETS)
    options = parser.parse_args()
    if "POLYTOMY_DATA" not in os.environ:
        sys.exit("set POLYTOMY_DATA to the folder of the data sets")
    data = pathlib.Path(os.environ["POLYTOMY_DATA"])
    WORK.mkdir(parents=True, exist_ok=True)
    rows = [row(name, data, options.train_only) for name in options.sets]
    table = ["| " + " | ".join(HEAD) + " |", "|" + " --- |" * len(HEAD)]
    table += ["| " + " | ".join(cells) + " |" for cells in rows]
    print("\n".join(table))
    if not options.train_only:
        version = subprocess.run([str(TOOL), "version"], capture_output=True, text=True).stdout.split("\n")[0]
        (ROOT / "experiments" / "auto" / "RESULTS.md").write_text(
            "# Automatic sigma and ridge against a search of the grid\n\n"
            f"Made by `experiments/auto/run.sh {' '.join(options.sets)}`, {version}. Protocol in PLAN.md.\n"
            "Seconds: the choice and the training on all rows, two threads of a shared machine, rough.\n"
            "These test sets have been looked at twice: PLAN.md says what was changed in between, and why.\n\n"
            + "\n".join(table) + "\n")


if __name__ == "__main__":
    main()
