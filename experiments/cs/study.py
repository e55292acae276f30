#!/usr/bin/env python3
"""The study of designed codes: study.py DATA WORK TOOL [SET...]. See PLAN.md.

Writes the folds of every set into WORK/folds, and for every fold, learner, code and way to read the code one JSON file, what
`polytomy eval` says, into WORK/study. What is there is not done again.
"""
import os
import pathlib
import random
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "ass"))
import folds  # noqa: E402

SETS = ["vowel", "soybean", "satimage", "pendigits", "letter", "isolet"]
MOST_ROWS = 3000
LEARNERS = {"stumps": ["--learner", "adaboost", "--rounds", "100"], "linear": ["--learner", "linear-svm", "--C", "1"]}
CODES = ["ova", "ovo", "dense"]
DESIGNS = {"l2": ["--norm", "2"], "sign": ["--design-form", "discrete"]}
PAIRS = {"rbf": ["--norm", "2", "--design-kernel", "rbf"],  # for all pairs
         "ternary": ["--design-form", "discrete", "--design-entries", "ternary"],
         "ternarysign": ["--design-form", "discrete", "--design-entries", "ternary", "--design-outputs", "sign"]}
SIDES = {"rbfsign": [*PAIRS["rbf"], "--design-outputs", "sign"]}
SCALED = [("vowel", "stumps", "ovo"), ("soybean", "stumps", "ovo"), ("letter", "stumps", "ovo")]  # where rbf is worse
LINEAR_PROGRAMS = {"l1": ["--norm", "1"], "linf": ["--norm", "inf"]}
SMALL = [("vowel", "ova")]  # where linear programs take less than minutes
# What takes minutes a fold and is not asked for (PLAN.md), by set, and learner with code or machine, and what is done with it.
LEFT_OUT = {("isolet", what) for what in ["stumps.ova.sign", "stumps.dense.sign", "linear.dense.sign", "stumps.ovo.sign", "stumps.ovo.inner",
                                          *(f"stumps.ovo.{design}" for design in PAIRS), "class-tree"]}
# What is done with the first folds alone, as it takes minutes a fold (PLAN.md).
FIRST_FOLDS = 5
FEW_FOLDS = {("isolet", "stumps.ovo"), ("isolet", "stumps.dense"), ("isolet", "linear.dense")}
ALONE = {"spoc.linear": ["--machine", "spoc", "--kernel", "linear", "--C", "1"],
         "class-tree.stumps": ["--machine", "class-tree", *LEARNERS["stumps"]],
         "class-tree.linear": ["--machine", "class-tree", *LEARNERS["linear"]]}


def write_folds(data, folder, name):
    train, test = folds.SOURCES[name]
    header, rows = folds.read(data, train + [test])
    if len(rows) > MOST_ROWS:
        rows = [rows[i] for i in sorted(random.Random(folds.SEED).sample(range(len(rows)), MOST_ROWS))]
    folder.mkdir(parents=True, exist_ok=True)
    for number, held_out in enumerate(folds.test_folds(rows), start=1):
        folds.write(folder / f"{number}.train.csv", header, [row for i, row in enumerate(rows) if i not in held_out])
        folds.write(folder / f"{number}.test.csv", header, [row for i, row in enumerate(rows) if i in held_out])


class Runner:
    def __init__(self, tool, work):
        self.tool = tool
        self.work = work / "study"
        self.model = self.work / f"model.{os.getpid()}"
        self.work.mkdir(parents=True, exist_ok=True)

    def run(self, *command):
        options = ["-q", "--threads", os.environ.get("CS_THREADS", "0")]
        return subprocess.run([self.tool, *map(str, command), *options], check=True, stdout=subprocess.PIPE, text=True).stdout

    def result(self, name):
        return self.work / f"{name}.json"

    def evaluate(self, name, model, test):
        text = self.run("eval", model, test, "--json")
        self.result(name).write_text(text)
        print(name, flush=True)

    def train_and_evaluate(self, name, options, train, test):
        if not self.result(name).exists():
            self.run("train", train, "-o", self.model, *options, "--merge", "no", "--calibrate", "no")
            self.evaluate(name, self.model, test)

    def close(self):
        self.model.unlink(missing_ok=True)


def among(kinds, name, kind):
    return any(name == of and (kind + ".").startswith(what + ".") for of, what in kinds)


def study(runner, files, name):
    for fold in range(1, folds.FOLDS + 1):
        def once(kind, options):
            if among(LEFT_OUT, name, kind) or (fold > FIRST_FOLDS and among(FEW_FOLDS, name, kind)):
                return
            runner.train_and_evaluate(f"{name}.{kind}.{fold}", options, files / f"{fold}.train.csv", files / f"{fold}.test.csv")
        for learner, learner_options in LEARNERS.items():
            for code in CODES:
                options = ["--code", code, *learner_options]
                once(f"{learner}.{code}.discrete", options)
                if code == "ovo":
                    once(f"{learner}.{code}.inner", [*options, "--decode", "inner"])
                designs = (DESIGNS | (PAIRS if code == "ovo" else {}) | (SIDES if (name, learner, code) in SCALED else {}) |
                           (LINEAR_PROGRAMS if (name, code) in SMALL else {}))
                for design, design_options in designs.items():
                    once(f"{learner}.{code}.{design}", ["--machine", "designed", *options, *design_options])
        for machine, options in ALONE.items():
            once(machine, options)


def main():
    data, work, tool = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
    runner = Runner(tool, work)
    try:
        for name in sys.argv[4:] or SETS:
            files = work / "folds" / name
            if not (files / f"{folds.FOLDS}.test.csv").exists():
                write_folds(data, files, name)
            study(runner, files, name)
    finally:
        runner.close()


if __name__ == "__main__":
    main()
