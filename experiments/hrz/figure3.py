#!/usr/bin/env python3
"""Figure 3 and hrz-ova: figure3.py DATA WORK TOOL [figure3 | ova | SET]... See PLAN.md.

Of every set, fold and machine one JSON file with the rows it gets wrong, in WORK/figure3. What is there is not done again.
"""
import gzip
import json
import os
import pathlib
import random
import subprocess
import sys

SEED = 1
STRENGTHS = ["0.1", "1", "10", "100"]
EPOCHS = "20"
TWO_PARTS = {"audiology": "", "vowel": "", "letter": "", "isolet": "", "soybean": "-named"}
SYNTHETIC = {"hrz-5000": 5000, "hrz-50000": 50000}
SETS = ["audiology", "glass", "soybean", "vowel", "hrz-5000", "letter", "isolet", "hrz-50000"]
# With solvers: C is chosen. With the perceptron, plain and averaged: nothing is.
SOLVED = {"svm.constraint": ["--machine", "constraint"],
          "svm.ova": ["--code", "ova", "--learner", "linear-svm", "--decode", "inner"]}
HARD = {"hard.constraint": ["--machine", "constraint", "--method", "hard"]}  # where all pairs can hold: the synthetic problem
ONLINE = {f"{update}.{name}": [*options, "--update", update, "--epochs", EPOCHS]
          for update in ("perceptron", "averaged")
          for name, options in (("constraint", ["--machine", "constraint", "--method", "online"]),
                                ("ova", ["--code", "ova", "--learner", "perceptron", "--decode", "inner"]))}
# Added: long enough to settle. On the synthetic problem, and on hrz-ova with many seeds.
LONG_EPOCHS, SEEDS = "500", range(1, 101)
CONSISTENT = {"consistent.constraint": ["--machine", "constraint", "--method", "online", "--update", "perceptron", "--epochs", "0"]}
LONG = {f"{name}.long": [LONG_EPOCHS if o == EPOCHS else o for o in options] for name, options in ONLINE.items()}


def read(path):
    opened = gzip.open(path, "rt") if str(path).endswith(".gz") else open(path)
    with opened as file:
        header, *rows = file.read().splitlines()
    return header, rows


def parts_of(data, work, tool, name):
    """(header, training rows, test rows) for every fold."""
    if name in SYNTHETIC:
        n = SYNTHETIC[name]
        path = work / f"{name}.csv"
        if not path.exists():
            subprocess.run([tool, "synth", "hrz", "-n", str(2 * n), "--seed", str(SEED), "-q", "-o", path], check=True)
        header, rows = read(path)
        yield header, rows[:n], rows[n:]
    elif name in TWO_PARTS:
        (header, train), (_, test) = (read(data / name / f"{part}{TWO_PARTS[name]}.csv.gz") for part in ("train", "test"))
        random.Random(SEED).shuffle(train)
        yield header, train, test
    else:
        header, rows = read(data / name / "train.csv.gz")
        random.Random(SEED).shuffle(rows)
        for fold in range(10):
            yield (header, [r for i, r in enumerate(rows) if i % 10 != fold], [r for i, r in enumerate(rows) if i % 10 == fold])


class Runner:
    def __init__(self, tool, folder):
        self.tool, self.folder = tool, folder

    def wrong(self, options, header, train, test):
        """For each row of `test` whether the machine trained on `train` is wrong, and its errors in training."""
        files = [self.folder / "train.csv", self.folder / "test.csv"]
        for path, rows in zip(files, (train, test)):
            path.write_text("\n".join([header, *rows]) + "\n")
        model = self.folder / "model"
        subprocess.run([self.tool, "train", files[0], "-o", model, "-q", "--merge", "no", "--calibrate", "no", *options], check=True)
        label = header.split(",").index("class") if "class" in header.split(",") else len(header.split(",")) - 1
        out = []
        for path, rows in zip(files, (train, test)):
            said = subprocess.run([self.tool, "predict", model, path, "-q"], check=True, capture_output=True, text=True).stdout
            out.append([int(a.strip('"') != row.split(",")[label].strip('"')) for a, row in zip(said.splitlines(), rows)])
        return {"train_error": sum(out[0]) / len(train), "wrong": out[1]}

    def chosen(self, options, header, train, test):
        """C by the error on the first third of the training rows; ties: the smaller."""
        held, kept = train[:len(train) // 3], train[len(train) // 3:]
        errors = {C: sum(self.wrong([*options, "--C", C], header, kept, held)["wrong"]) for C in STRENGTHS}
        C = min(STRENGTHS, key=lambda C: (errors[C], float(C)))
        return {**self.wrong([*options, "--C", C], header, train, test), "C": C}


def once(path, work):
    if path.exists():
        return
    print(path.relative_to(path.parents[2]), file=sys.stderr, flush=True)
    begin = sum(os.times()[:4])
    result = work()
    result["seconds"] = sum(os.times()[:4]) - begin
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(result))


def run(data, work, tool, name):
    folder = work / "files" / name
    folder.mkdir(parents=True, exist_ok=True)
    runner = Runner(tool, folder)
    for fold, (header, train, test) in enumerate(parts_of(data, work, tool, name)):
        at = work / "figure3" / name
        for machine, options in (HARD | (CONSISTENT if name == "hrz-5000" else {})).items() if name in SYNTHETIC else []:
            once(at / f"{machine}.{fold}.json", lambda: runner.wrong(options, header, train, test))
        for machine, options in SOLVED.items():
            once(at / f"{machine}.{fold}.json", lambda: runner.chosen(options, header, train, test))
        for machine, options in (ONLINE | (LONG if name in SYNTHETIC else {})).items():
            once(at / f"{machine}.{fold}.json", lambda: runner.wrong(options, header, train, test))


def run_ova(work, tool):
    """Which of the nine points are wrong after training on them; of the long runs, how many for each seed."""
    path = work / "hrz-ova.csv"
    subprocess.run([tool, "synth", "hrz-ova", "-q", "-o", path], check=True)
    _, rows = read(path)

    def wrong(options):
        model = work / "model.ova"
        subprocess.run([tool, "train", path, "-o", model, "-q", "--weight", "weight", "--scale", "none", "--merge", "no", "--calibrate", "no", *options],
                       check=True)
        said = subprocess.run([tool, "predict", model, path, "-q"], check=True, capture_output=True, text=True).stdout
        return [int(a != row.split(",")[3]) for a, row in zip(said.splitlines(), rows)]

    at = work / "ova" / "hrz-ova"
    machines = {f"{name}.C{C}": [*options, "--C", C] for name, options in SOLVED.items() for C in ["1", "100", "10000", "1000000"]}
    for name, options in (machines | ONLINE).items():
        once(at / f"{name}.json", lambda: {"wrong": wrong(options)})
    for name, options in LONG.items():
        once(at / f"{name}.json", lambda: {"errors": [sum(wrong([*options, "--seed", str(seed)])) for seed in SEEDS]})


def main():
    data, work, tool = (pathlib.Path(a).resolve() for a in sys.argv[1:4])
    for part in sys.argv[4:] or ["ova", "figure3"]:
        if part == "ova":
            run_ova(work, tool)
        for name in SETS if part == "figure3" else [part] if part in SETS else []:
            run(data, work, tool, name)


main()
