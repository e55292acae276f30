#!/usr/bin/env python3
"""Log loss and calibration error of every machine with probabilities. See PLAN.md.

    study.py parts [SET...]    halves, thirds and tenths of 16 sets, --calibrate yes against no
    study.py large [SET...]    letter, pendigits, satimage, poker, and what calibration adds to the time
    study.py peers [SET...]    scikit-learn's CalibratedClassifierCV on the same rows
    study.py report            RESULTS.md, from all that was done

What was done before is kept in build/experiments/calibration (or WORK), a line of JSON for each run, and not done again: a run that was
interrupted goes on with the same command, failures included, which are kept as such (remove their lines to try again).
POLYTOMY names the tool (build/polytomy), POLYTOMY_DATA the folder of data sets, WORKERS (1) how many runs go at a time, each on one thread.
To shorten it: DRAWS (10), SHARES (half,third,tenth), MACHINES (names with ; between them, all), LIMIT (seconds after which no run
begins), PATIENCE (600, seconds for one run), MOST_ROWS (800) and SLOW_ROWS (300), the most rows of a part, and of one for slow machines.
"""
import concurrent.futures
import csv
import gzip
import json
import math
import os
import random
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOOL = os.environ.get("POLYTOMY", os.path.join(ROOT, "build", "polytomy"))
DATA = os.environ.get("POLYTOMY_DATA", "")
WORK = os.environ.get("WORK", os.path.join(ROOT, "build", "experiments", "calibration"))

SETS = ["wine", "iris", "glass", "vowel", "digits", "satimage", "segmentation", "dermatology", "audiology", "ecoli",
        "soybean", "thyroid0387", "usps", "yeast", "letter", "pendigits"]
SHARES = {"half": 2, "third": 3, "tenth": 10}
MOST_ROWS = int(os.environ.get("MOST_ROWS", "800"))  # to train, in parts
SLOW_ROWS = int(os.environ.get("SLOW_ROWS", "300"))  # most of them for slow machines
DRAWS = int(os.environ.get("DRAWS", "10"))
STOP = time.time() + float(os.environ.get("LIMIT", "1e9"))
WORKERS = int(os.environ.get("WORKERS", "1"))
PATIENCE = float(os.environ.get("PATIENCE", "600"))
for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):  # of ours and of the peers
    os.environ[threads] = "1"
MACHINES = {
    "onelsm": "", "vo-lssvm": "--machine vo-lssvm", "vo-rls": "--machine vo-rls", "vo-rls-f": "--machine vo-rls-f",
    "vo-svm": "--machine vo-svm", "spoc": "--machine spoc", "ww": "--machine ww", "ls-ova": "--machine ls-ova",
    "ls-ovo": "--machine ls-ovo", "suykens": "--machine suykens", "elm": "--machine elm", "softmax": "--machine softmax",
    "tree": "--machine tree", "adaboost-mo": "--machine adaboost-mo", "adaboost-mh": "--machine adaboost-mh",
    "class-tree": "--machine class-tree", "constraint": "--machine constraint", "rank-ls": "--machine rank-ls",
    "relevance": "--machine relevance", "powerset": "--machine powerset", "designed": "--machine designed",
    "svm pairs": "--learner svm", "svm pairs, vote": "--learner svm --decode vote",
    "svm pairs, coupling": "--learner svm --decode coupling", "svm one-vs-all": "--learner svm --code ova",
    "logistic pairs": "--learner logistic", "perceptron one-vs-all": "--learner perceptron --code ova",
    "adaboost one-vs-all": "--learner adaboost --code ova", "adaboost depth 4": "--learner adaboost --code ova --depth 4",
    "adaboost dense, hamming": "--learner adaboost --code dense --decode hamming",
    "logitboost one-vs-all": "--learner logitboost --code ova", "tree one-vs-all": "--learner tree --code ova",
}
SLOW = {"vo-rls", "vo-rls-f", "vo-svm", "designed", "relevance", "class-tree", "logitboost one-vs-all", "constraint"}
LARGE = {
    "onelsm": "", "spoc": "--machine spoc", "svm pairs": "--learner svm",
    "adaboost depth 1": "--learner adaboost --code ova", "adaboost depth 4": "--learner adaboost --code ova --depth 4",
    "adaboost depth 8": "--learner adaboost --code ova --depth 8 --rounds 50", "adaboost-mo": "--machine adaboost-mo",
    "adaboost-mh": "--machine adaboost-mh", "tree": "--machine tree", "softmax": "--machine softmax",
}


def read(name):
    """The header and all rows of a set, train and test together; the label is last."""
    if name in ("wine", "iris", "digits") and os.path.exists(os.path.join(ROOT, "data", name + ".csv")):
        files = [os.path.join(ROOT, "data", name + ".csv")]
    else:
        files = [os.path.join(DATA, name, part + ".csv.gz") for part in ("train", "test")]
    head, rows = None, []
    for path in filter(os.path.exists, files):
        with gzip.open(path, "rt") if path.endswith(".gz") else open(path) as handle:
            lines = list(csv.reader(handle))
            head, rows = lines[0], rows + lines[1:]
    return head, rows


def write(path, head, rows):
    with open(path, "w", newline="") as handle:
        writer = csv.writer(handle)
        writer.writerow(head)
        writer.writerows(rows)


def tool(*arguments):
    return subprocess.run([TOOL, *arguments], capture_output=True, text=True, check=True, timeout=PATIENCE).stdout


def frequency_loss(train, test):
    """The log loss of saying the frequencies of the classes in training, with one row more for each."""
    classes = {row[-1] for row in train}
    count = {c: sum(row[-1] == c for row in train) for c in classes}
    known = [row[-1] for row in test if row[-1] in classes]
    return -sum(math.log((count[c] + 1) / (len(train) + len(classes))) for c in known) / len(known)


def run(key, options, train, test, results):
    """Trains and judges, and keeps the line."""
    if key in results or time.time() > STOP:
        return
    model = os.path.join(WORK, "m.%d.%d" % (os.getpid(), abs(hash(key))))
    began = time.time()
    try:
        tool("train", train, "-o", model, "-q", "--threads", "1", *options.split())
        seconds = time.time() - began
        out = json.loads(tool("eval", model, test, "--json", "--threads", "1"))
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as failure:
        why = "no end in %g s" % PATIENCE if isinstance(failure, subprocess.TimeoutExpired) else failure.stderr.strip()[:200]
        print(key, why, file=sys.stderr)
        keep({"key": key, "failed": why}, results)
        return
    finally:
        if os.path.exists(model):
            os.remove(model)
    keep({"key": key, "log_loss": out["log_loss"], "error": out["error"], "seconds": seconds,
          "calibration_error": out["calibration_error"], "brier": out.get("brier")}, results)


def keep(line, results):
    results[line["key"]] = line
    with open(os.path.join(WORK, "results.jsonl"), "a") as handle:
        handle.write(json.dumps(line) + "\n")


def load_results():
    """Key -> line, of runs that failed too; a last line that was cut off does not count."""
    path = os.path.join(WORK, "results.jsonl")
    results = {}
    for text in open(path) if os.path.exists(path) else []:
        try:
            line = json.loads(text)
        except ValueError:
            continue
        results[line["key"]] = line
    return results


def asked_machines(machines):
    names = os.environ.get("MACHINES")
    return {m: o for m, o in machines.items() if not names or m in names.split(";")}


def draw(name, share, seed):
    """The files of one draw of one set, to train and to test, and the log loss of its class frequencies; None where the set is not there."""
    head, rows = read(name)
    if not rows:
        return None
    random.Random(seed).shuffle(rows)
    n = min(len(rows) // SHARES[share], MOST_ROWS)
    train, test = rows[:n], rows[n:n + 2000]
    paths = [os.path.join(WORK, "%s.%s.%d.%s.csv" % (name, share, seed, part)) for part in ("train", "test")]
    write(paths[0], head, train)
    write(paths[1], head, test)
    return paths, n, frequency_loss(train, test)


def parts(sets):
    results = load_results()
    shares = os.environ.get("SHARES", "half,third,tenth").split(",")
    jobs = []
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        for seed, share, name in [(seed, share, name) for seed in range(DRAWS) for share in shares for name in sets or SETS]:
            drawn = draw(name, share, seed)
            if not drawn:
                continue
            paths, n, frequencies = drawn
            where = "%s/%s/%d/" % (share, name, seed)
            if where + "frequencies" not in results:
                keep({"key": where + "frequencies", "log_loss": frequencies, "rows": n}, results)
            for machine, options in asked_machines(MACHINES).items():
                if machine in SLOW and n > SLOW_ROWS:
                    continue
                for flag in ("yes", "no"):
                    jobs.append(pool.submit(run, where + machine + "/" + flag, options + " --calibrate " + flag, *paths, results))
        for job in jobs:
            job.result()


def mean(values):
    return sum(values) / len(values)


def part_rows(results, share):
    """A row of the table, and whether it is above a bar, for each set and machine that has two draws."""
    for name in SETS:
        for machine in MACHINES:
            pairs = [[results.get("%s/%s/%d/%s" % (share, name, s, what)) for what in (machine + "/yes", machine + "/no", "frequencies")]
                     for s in range(100)]
            pairs = [p for p in pairs if all(p)]
            if len(pairs) < 2:
                continue
            yes, no, base = ([p[i]["log_loss"] for p in pairs] for i in range(3))
            difference = [y - n for y, n in zip(yes, no)]
            middle = mean(difference)
            error = 2 * math.sqrt(sum((d - middle) ** 2 for d in difference) / (len(pairs) - 1) / len(pairs))
            fault = ("above" if middle > 0.01 + error else "") + (" above the frequencies" if mean(yes) > mean(base) else "")
            yield "| %s | %s | %s | %d | %.3f | %.3f | %.3f | %+.3f | %.3f | %.1f | %.1f | %s |" % (
                name, machine, pairs[0][2].get("rows", "-"), len(pairs), mean(base), mean(no), mean(yes), middle, error,
                100 * mean([p[1]["calibration_error"] for p in pairs]), 100 * mean([p[0]["calibration_error"] for p in pairs]), fault), bool(fault)


def report(_):
    """RESULTS.md."""
    results = {key: line for key, line in load_results().items() if "failed" not in line}
    out = ["# Probabilities: results", "",
           "Written by `experiments/calibration/run.sh`; see PLAN.md for the protocol and findings.md for what follows from it. What is not in a",
           "table was not run. Seconds are those of whatever machine it was, and compare with each other only.", ""]
    for share in SHARES:
        rows = list(part_rows(results, share))
        if not rows:
            continue
        out += ["## %s of the rows to train" % {"half": "Half", "third": "A third", "tenth": "A tenth"}[share], "",
                "\"rows\" train, at most 2000 others test. Log loss, means over the draws; \"difference\" is that of `yes` and `no` on the same draws.",
                "Of %d pairs of a set and a machine %d are above `--calibrate no` by more than 0.01 plus two standard errors, or above the class frequencies." % (
                    len(rows), sum(fault for _, fault in rows)), "",
                "| set | machine | rows | draws | class frequencies | --calibrate no | yes | difference | 2 s.e. | calibration error, no | yes |  |",
                "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"] + [row for row, _ in rows] + [""]
    out += ["## Large sets", "",
            "Trained on " + ", ".join("%d (%s)" % (n, name) for name, (_, n) in large_sets().items()) + " rows drawn at random, tested on at most 6000 of the others. \"added\" is the",
            "time of calibration as a share of the time without it. The peer is scikit-learn's CalibratedClassifierCV (sigmoid, three folds) on the same rows.", "",
            "| set | machine | error % | calibration error % | log loss | Brier score | added | peer's log loss | ratio |",
            "| --- | --- | --- | --- | --- | --- | --- | --- | --- |"]
    for name in large_sets():
        for machine in LARGE:
            r, plain, peer = (results.get(kind % (name, machine)) for kind in ("large/%s/%s", "large-no/%s/%s", "peers/%s/%s"))
            if r:
                out.append("| %s | %s | %.2f | %.2f | %.4f | %.4f | %s | %s |" % (
                    name, machine, 100 * r["error"], 100 * r["calibration_error"], r["log_loss"], r["brier"],
                    "%.2f" % (r["seconds"] / plain["seconds"] - 1) if plain else "-",
                    "%.4f | %.2f" % (peer["log_loss"], r["log_loss"] / peer["log_loss"]) if peer else "- | -"))
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "RESULTS.md"), "w") as handle:
        handle.write("\n".join(out) + "\n")


def large_sets():
    return {"letter-4000": ("letter", 4000), "letter": ("letter", 16000), "pendigits": ("pendigits", 7494),
            "satimage": ("satimage", 4435), "poker": ("poker", 20000)}


def large_files(name):
    source, n_train = large_sets()[name]
    head, rows = read(source)
    random.Random(1).shuffle(rows)
    train, test = rows[:n_train], rows[n_train:][:6000]
    paths = [os.path.join(WORK, "%s.%s.csv" % (name, part)) for part in ("train", "test")]
    write(paths[0], head, train)
    write(paths[1], head, test)
    return paths


def large(names):
    results = load_results()
    jobs = [(name, machine, options) for machine, options in asked_machines(LARGE).items() for name in names or large_sets()]
    files = {name: large_files(name) for name in names or large_sets()}
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        for job in [pool.submit(run, "large%s/%s/%s" % (kind, name, machine), options + extra, *files[name], results)
                    for name, machine, options in jobs for kind, extra in (("", ""), ("-no", " --calibrate no"))]:
            job.result()


PEERS = ["svm pairs", "softmax", "tree", "adaboost depth 1", "adaboost depth 4", "adaboost depth 8"]


def peer(machine, paths):
    """The line of one of scikit-learn's; nominal columns there are none in these sets."""
    import numpy as np
    from sklearn.calibration import CalibratedClassifierCV
    from sklearn.ensemble import AdaBoostClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import log_loss
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import MinMaxScaler
    from sklearn.svm import SVC
    from sklearn.tree import DecisionTreeClassifier

    def boosted(depth, rounds):
        return AdaBoostClassifier(DecisionTreeClassifier(max_depth=depth), n_estimators=rounds, random_state=1)

    made = {
        "svm pairs": lambda: make_pipeline(MinMaxScaler((-1, 1)), SVC(decision_function_shape="ovr")),
        "softmax": lambda: make_pipeline(MinMaxScaler((-1, 1)), LogisticRegression(max_iter=300)),
        "tree": lambda: DecisionTreeClassifier(random_state=1),
        "adaboost depth 1": lambda: boosted(1, 100), "adaboost depth 4": lambda: boosted(4, 100),
        "adaboost depth 8": lambda: boosted(8, 50),
    }
    part = []
    for path in paths:
        with open(path) as handle:
            rows = list(csv.reader(handle))[1:]
        part.append((np.array([r[:-1] for r in rows], float), np.array([r[-1] for r in rows])))
    began = time.time()
    model = CalibratedClassifierCV(made[machine](), cv=3).fit(*part[0])
    p = model.predict_proba(part[1][0])
    at = {c: i for i, c in enumerate(model.classes_)}
    known = np.array([c in at for c in part[1][1]])
    first = p.argmax(1)
    right = model.classes_[first] == part[1][1]
    top = p.max(1)
    bins = np.minimum((top * 15).astype(int), 14)
    off = sum(abs(right[bins == b].sum() - top[bins == b].sum()) for b in range(15)) / len(top)
    return {"log_loss": float(log_loss(part[1][1][known], p[known], labels=model.classes_)),
            "error": float(1 - right.mean()), "calibration_error": float(off), "seconds": time.time() - began}


def peer_in_time(machine, paths):
    return peer(machine, paths) if time.time() < STOP else None


def peers(names):
    """scikit-learn on the same rows."""
    results = load_results()
    files = {name: large_files(name) for name in names or large_sets()}
    with concurrent.futures.ProcessPoolExecutor(WORKERS) as pool:
        jobs = {pool.submit(peer_in_time, machine, files[name]): "peers/%s/%s" % (name, machine)
                for machine in PEERS if machine in asked_machines(dict.fromkeys(PEERS)) for name in files
                if "peers/%s/%s" % (name, machine) not in results}
        for job in concurrent.futures.as_completed(jobs):
            if job.result():
                keep({"key": jobs[job], **job.result()}, results)


if __name__ == "__main__":
    os.makedirs(WORK, exist_ok=True)
    commands = {"parts": parts, "large": large, "peers": peers, "report": report}
    if len(sys.argv) < 2 or sys.argv[1] not in commands:
        sys.exit(__doc__)
    commands[sys.argv[1]](sys.argv[2:])
