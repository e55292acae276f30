#!/usr/bin/env python3
"""Ours and the peers, alternately, in one process tree, as ratios.

    bench/run.py [NAME...] [--rounds N] [--rows N] [--sets A,B] [--against BUILD] [--out FILE]

NAME selects the scenario of that name, or those whose name contains it; without one all run. A round runs ours and then
each peer once, so that whatever else the machine does falls on all of them alike; the ratio is
taken within a round, and the table has the median over rounds with the smallest and the largest.
Of a peer that exists as Debian's package and as a newer release, the faster (by median) counts.
The data sets come from the folder POLYTOMY_DATA. --rows cuts them down, to try the harness.
"""
import argparse
import bisect
import datetime
import gzip
import json
import os
import pathlib
import platform
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"
WORK = BUILD / "bench-data"
PEERS = ROOT / "bench" / "peers"
TOOL = BUILD / "polytomy"

RBF_GAMMA, RIDGE = "2", "0.0625"  # letter: chosen on training data, test error 2.2 percent
C = "16"  # of C-SVC on letter, as is common
GRID = "ridge=2^-4:2^4,sigma=2^-4:2^4"
FOLDS = "10"


# ---- running things ------------------------------------------------------------------------------

class Failed(Exception):
    pass


def run(command, threads=None):
    """Runs a command; returns (its JSON or None, seconds, peak bytes, exit code, complaints)."""
    env = dict(os.environ)
    if threads:
        for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
            env[name] = str(threads)
    with tempfile.TemporaryFile("w+") as complaints:
        start = time.perf_counter()
        process = subprocess.Popen([str(part) for part in command], env=env, text=True,
                                   stdout=subprocess.PIPE, stderr=complaints)
        output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        complaints.seek(0)
        errors = complaints.read()
    answer = None
    if output.strip():
        try:
            answer = json.loads(output)
        except ValueError:
            try:
                answer = json.loads(output.strip().split("\n")[-1])
            except ValueError:
                pass
    return answer, seconds, usage.ru_maxrss * 1024, process.returncode, errors


def asked(command, threads=None):
    """The JSON answer of a command that must succeed, with its peak memory and wall time."""
    answer, seconds, peak, code, errors = run(command, threads)
    if code != 0 or not isinstance(answer, dict):
        raise Failed(f"{' '.join(map(str, command))}\nexit {code}: {errors.strip()[-600:]}")
    answer["peak_bytes"], answer["wall_seconds"] = peak, seconds
    return answer


def ours(*arguments, threads):
    if arguments[0] == "train" and "--online" not in arguments: # peers do not merge equal rows
        arguments += ("--merge", "no")
    return asked([TOOL, *arguments, "--threads", threads, "--json"], threads)


def pythons():
    """The interpreters whose packages are peers: Debian's, and the newest releases if fetched."""
    found = {"Debian": sys.executable}
    newest = BUILD / "bench-venv" / "bin" / "python"
    if newest.exists():
        found["newest"] = newest
    return found


def peer(script, *arguments, which, threads):
    return asked([pythons()[which], PEERS / script, *arguments], threads)


# ---- data ----------------------------------------------------------------------------------------

def source(name):
    folder = os.environ.get("POLYTOMY_DATA")
    if not folder:
        raise Failed("set POLYTOMY_DATA to the folder of the data sets")
    path = pathlib.Path(folder) / name
    if not path.exists():
        raise Failed(f"{path} is missing")
    return path


def csv_rows(name):
    """Rows of a data set as lines without header, label last."""
    with gzip.open(source(name), "rt") as file:
        lines = file.read().splitlines()
    return lines[1:] if any(c.isalpha() for c in lines[0].split(",")[0]) else lines


def prepared(name, lines):
    WORK.mkdir(parents=True, exist_ok=True)
    path = WORK / name
    path.write_text("\n".join(lines) + "\n")
    return path


def letter(rows):
    train, test = csv_rows("letter/train.csv.gz"), csv_rows("letter/test.csv.gz")
    if rows:
        train, test = train[:rows], test[: max(rows // 4, 10)]
    return prepared("letter-train.csv", train), prepared("letter-test.csv", test), len(train)


def sample(name, lines, rows):
    """A seeded sample, so that every run and every peer has the same one."""
    if rows and rows < len(lines):
        lines = random.Random(1).sample(lines, rows)
    return prepared(name, lines), len(lines)


# ---- rounds and rows of the table ----------------------------------------------------------------

class Row:
    """One comparison: our seconds and a peer's, round by round."""

    def __init__(self, scenario, threads, mine, peer_name, theirs, bar, more=""):
        self.scenario, self.threads, self.peer_name = scenario, threads, peer_name
        self.mine, self.theirs, self.bar, self.more = mine, theirs, bar, more

    def ratios(self):
        return [b / a for a, b in zip(self.mine, self.theirs)]

    def cells(self):
        ratios = self.ratios()
        return [self.scenario, str(self.threads), span(self.mine), self.peer_name, span(self.theirs),
                span(ratios, 2), self.bar, self.more]


HEAD = ["scenario", "threads", "ours", "against", "theirs", "theirs / ours", "bar", "remarks"]


def span(values, digits=3):
    """Median, with the smallest and the largest."""
    middle = statistics.median(values)
    if len(values) == 1:
        return f"{middle:.{digits}f}"
    return f"{middle:.{digits}f} [{min(values):.{digits}f}, {max(values):.{digits}f}]"


def or_none(function):
    """A peer that breaks down is left out, and said so; the others still count."""
    def once():
        try:
            return function()
        except Failed as problem:
            print(f"  left out: {problem}", file=sys.stderr)
            return None
    return once


def alternate(rounds, *functions):
    """Calls the functions in turn, `rounds` times; returns one list of results each."""
    results = [[] for _ in functions]
    for _ in range(rounds):
        for out, function in zip(results, functions):
            out.append(function())
    return results


def faster(candidates):
    """(name, values) of the candidate with the smallest median."""
    return min(candidates, key=lambda pair: statistics.median(pair[1]))


def seconds_of(answer, part):
    return answer["seconds"][part]


# ---- scenarios: each returns rows ----------------------------------------------------------------

def train_options():
    return ["--header", "no", "--machine", "onelsm", "--kernel", "rbf", "--rbf-gamma", RBF_GAMMA,
            "--ridge", RIDGE]


def scenario_train(options):
    """oneLSM on letter against KernelRidge on +-1 targets."""
    train, test, n = letter(options.rows)
    rows = []
    for threads, bar in ((1, ">= 2.2"), (2, ">= 2.5")):
        names = list(pythons())
        def mine(threads=threads):
            return ours("train", train, "-o", WORK / "letter.model", *train_options(), threads=threads)
        def theirs(which, threads=threads):
            return or_none(lambda: peer("peer_kernel_ridge.py", train, test, RBF_GAMMA, RIDGE,
                                        which=which, threads=threads))
        result = alternate(options.rounds, mine, *[theirs(which) for which in names])
        result[1:] = [answers for answers in result[1:] if all(answers)]
        if len(result) == 1:
            raise Failed("no peer ran")
        tested = ours("eval", WORK / "letter.model", test, "--header", "no", threads=threads)
        my_seconds = [seconds_of(answer, "train") for answer in result[0]]
        name, seconds = faster([(answers[0]["version"], [a["train"] for a in answers])
                                for answers in result[1:]])
        rows.append(Row(f"train letter, n = {n}", threads, my_seconds, "KernelRidge, " + name, seconds,
                        bar, f"test error {100 * tested['error']:.2f} %, "
                        f"theirs {100 * result[1][0]['error']:.2f} %"))
    return rows


def bare(what, n, d, threads):
    """The lines of bench/bare.c, one repeat: name -> seconds by the wall."""
    command = [str(BUILD / "bench" / "bare"), what, str(n), str(d), str(threads), "1"]
    done = subprocess.run(command, capture_output=True, text=True)
    found = re.findall(r"^  (\S.*?)  +([0-9.]+) s  cpu", done.stdout, re.M)
    if done.returncode != 0 or not found:
        raise Failed(f"{' '.join(command)}\n{done.stdout[-300:]}{done.stderr[-300:]}")
    return {name: float(seconds) for name, seconds in found}


def scenario_floor(options):
    """Training against the bare floor: the same tiles, Gram and factorisation, nothing else."""
    train, _, n = letter(options.rows)
    sizes = sorted({min(n, size) for size in (4000, 8000, n)})
    rows = []
    for size in sizes:
        part = prepared(f"letter-{size}.csv", train.read_text().splitlines()[:size])
        for threads, which in ((1, "one thread"), (2, "all threads")):
            result = alternate(
                options.rounds,
                lambda: ours("train", part, "-o", WORK / "floor.model", *train_options(),
                             threads=threads),
                lambda: bare("train", size, 16, threads))
            floor = [a[f"tiled Cholesky, {which}"] + a[f"Gram tiles, {which}"] for a in result[1]]
            rows.append(Row(f"training floor, letter, n = {size}", threads,
                            [seconds_of(a, "train") for a in result[0]], "bare Gram tiles + factor",
                            floor, ">= 0.83 (ours <= 1.2 x)"))
    return rows


def scenario_predict(options):
    """Prediction of the letter model: against bare GEMM + exp, and against peers."""
    train, test, n = letter(options.rows)
    rows = []
    trained = ours("train", train, "-o", WORK / "letter.model", *train_options(), threads=2)
    def mine(threads):
        return lambda: ours("predict", WORK / "letter.model", test, "--header", "no", "-o", os.devnull,
                            threads=threads)
    peers = [("newest", "peer_svm.py", "16")] if "newest" in pythons() else []
    peers += [(which, "peer_kernel_ridge.py", RIDGE) for which in pythons()]
    result = alternate(
        max(options.rounds, 5), mine(1), mine(2), lambda: bare("predict", n, 16, 2))
    theirs = alternate(1, *[or_none(lambda which=which, script=script, strength=strength: peer(
        script, train, test, RBF_GAMMA, strength, which=which, threads=1))
        for which, script, strength in peers])
    one, two = ([seconds_of(a, "predict") for a in answers] for answers in result[:2])
    rows.append(Row(f"predict letter, {n} centres", 1, one, "bare GEMM + exp + GEMM",
                    [a["bare GEMM, vector exp, GEMM, by blocks"] for a in result[2]],
                    ">= 0.71 (ours <= 1.4 x)", f"classes {len(trained['data']['classes'])}"))
    for (which, script, _), answers in zip(peers, theirs):
        if not answers[0]:
            continue
        rows.append(Row(f"predict letter, {n} centres", 1, one[:1], f"{answers[0]['version']}, "
                        + ("SVM" if "svm" in script else "KernelRidge"),
                        [answers[0]["predict"]], "", f"its test error {100 * answers[0]['error']:.2f} %"
                        f"; ours on 2 threads {span(two)}"))
    return rows


def search_rows(options, name, path, n, bars):
    rows = []
    def mine(repeat):
        return lambda: ours("cv", path, "--header", "no", "--kernel", "rbf", "--grid", GRID, "--folds",
                            FOLDS, "--repeat", repeat, threads=2)
    names = list(pythons())
    def theirs(which):
        return lambda: peer("peer_grid_search.py", path, FOLDS, 2, which=which, threads=1)
    result = alternate(options.rounds, mine(1), mine(10), *[theirs(which) for which in names])
    peer_name, seconds = faster([(answers[0]["version"], [a["search"] for a in answers])
                                 for answers in result[2:]])
    for repeat, answers in ((1, result[0]), (10, result[1])):
        rows.append(Row(f"81-point search, {name}, n = {n}, {repeat} x {FOLDS} folds", 2,
                        [seconds_of(a, "train") for a in answers], "GridSearchCV, " + peer_name,
                        [repeat * s for s in seconds], bars[repeat],
                        f"error {100 * answers[0]['error']:.2f} %, theirs "
                        f"{100 * result[2][0]['error']:.2f} %"
                        + ("; theirs = 10 x one repetition" if repeat == 10 else "")))
    return rows


def scenario_search_letter(options):
    """The 81-point 10-fold search on 2000 rows of letter, 1 and 10 partitions."""
    path, n = sample("letter-2000.csv", csv_rows("letter/train.csv.gz"), options.rows or 2000)
    return search_rows(options, "letter", path, n, {1: ">= 13", 10: ">= 75"})


def scenario_search_vowel(options):
    """The same on vowel (528)."""
    path, n = sample("vowel.csv", csv_rows("vowel/train.csv.gz"), options.rows)
    return search_rows(options, "vowel", path, n, {1: ">= 12", 10: ">= 60"})


def search_floor(path, threads):
    """Seconds of the bare work of the 81 points, as told by bench/bench_search_floor.c, and its words."""
    command = [str(BUILD / "bench" / "bench_search_floor"), str(path), str(threads), "1"]
    done = subprocess.run(command, capture_output=True, text=True)
    found = re.search(r"(\d+ points in .*), \d+ threads: ([0-9.]+) s", done.stdout)
    if not found:
        raise Failed(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return {"search": float(found.group(2)), "words": found.group(1)}


def scenario_searchfloor(options):
    """The 81-point search on letter against its bare work; 10 repetitions against one."""
    path, n = sample("letter-2000.csv", csv_rows("letter/train.csv.gz"), options.rows or 2000)
    rows = []
    for threads in (1, 2):
        def mine(repeat, threads=threads):
            return lambda: ours("cv", path, "--header", "no", "--kernel", "rbf", "--grid", GRID,
                                "--folds", FOLDS, "--repeat", repeat, threads=threads)
        floor, one, ten = alternate(options.rounds, lambda: search_floor(path, threads), mine(1), mine(10))
        one_seconds = [seconds_of(a, "train") for a in one]
        rows.append(Row(f"search floor, letter, n = {n}, 1 x {FOLDS} folds", threads, one_seconds,
                        "bare 81 x (map, factor, inverse of the factor)", [a["search"] for a in floor],
                        ">= 0.80 (ours <= 1.25 x)", floor[0]["words"]))
        rows.append(Row(f"search floor, letter, n = {n}, 10 x {FOLDS} folds", threads,
                        [seconds_of(a, "train") for a in ten], "ours, 1 repetition", one_seconds,
                        ">= 0.56 (ours <= 1.8 x)"))
    return rows


def reading_rows(options, kind, title, path, peers, bar):
    size = path.stat().st_size
    def mine(threads):
        return lambda: {"read": our_reader(path, kind, threads)}
    result = alternate(max(options.rounds, 5), mine(1), mine(2), *[function for _, function in peers])
    rows = []
    my_seconds = [a["read"] for a in result[0]]
    speed = f"{size / 1e6:.0f} MB, {size / 1e6 / statistics.median(my_seconds):.0f} MB/s; " \
            f"2 threads {size / 1e6 / statistics.median(a['read'] for a in result[1]):.0f} MB/s"
    for (name, _), answers in zip(peers, result[2:]):
        rows.append(Row(title, 1, my_seconds, answers[0].get("version", name),
                        [a["read"] for a in answers], bar, speed))
    return rows


def our_reader(path, kind, threads):
    """Seconds of one reading in a fresh process, as told by bench/bench_read.c."""
    command = [str(BUILD / "bench" / "bench_read"), str(path), kind, str(threads), "1"]
    done = subprocess.run(command, capture_output=True, text=True)
    found = re.search(r"threads: ([0-9.]+) s", done.stdout)
    if not found:
        raise Failed(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return float(found.group(1))


def libsvm_reader(path):
    """LIBSVM's own reader in C. svm-train reads the whole file before it refuses a negative gamma,
    so its run time is that of its reader (and of starting a process, a few milliseconds)."""
    def once():
        _, seconds, _, code, errors = run(["svm-train", "-q", "-g", "-1", path, os.devnull], 1)
        if code == 0:
            raise Failed("svm-train took a negative gamma; its reader cannot be timed like this")
        return {"read": seconds, "version": "svm-train's reader (libsvm-tools)"}
    return once


def unpacked(name, to, rows=0):
    """A plain copy of a gzipped text file, at most `rows` lines of it."""
    path = WORK / to
    WORK.mkdir(parents=True, exist_ok=True)
    with gzip.open(source(name), "rt") as file:
        lines = file.readlines()
    if any(c.isalpha() for c in lines[0].split(",")[0]) and name.endswith(".csv.gz"):
        lines = lines[1:]
    path.write_text("".join(lines[:rows] if rows else lines))
    return path


def scenario_read_libsvm(options):
    """LIBSVM text on one thread: news20 (sparse) and MNIST."""
    news = unpacked("news20/train.svm.gz", "news20.svm", options.rows)
    mnist_csv = unpacked("mnist/train.csv.gz", "mnist.csv", options.rows)
    mnist = WORK / "mnist.svm"
    asked([TOOL, "convert", mnist_csv, mnist, "--header", "no", "--json"])
    rows = []
    for title, path in (("read LIBSVM text, news20", news), ("read LIBSVM text, mnist", mnist)):
        peers = [("LIBSVM", libsvm_reader(path))]
        peers += [("load_svmlight_file", lambda which=which, path=path: peer(
            "peer_read.py", "libsvm", path, which=which, threads=1)) for which in pythons()]
        made = reading_rows(options, "libsvm", title, path, peers, "")
        made[0].bar = ">= 6"
        rows += made
    return rows


def scenario_read_csv(options):
    """CSV text on one thread: MNIST (whole numbers) and isolet (decimals)."""
    rows = []
    for name in ("mnist", "isolet"):
        path = unpacked(f"{name}/train.csv.gz", f"{name}.csv", options.rows)
        peers = [(which, lambda which=which, path=path: peer(
            "peer_read.py", "csv", path, which=which, threads=1)) for which in pythons()]
        rows += reading_rows(options, "csv", f"read CSV text, {name}", path, peers, ">= 4")
    return rows


def cpu_of(command):
    """User and system seconds of a command that must succeed: what a busy machine changes least."""
    process = subprocess.Popen([str(part) for part in command], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise Failed(f"{' '.join(map(str, command))} ended with {process.returncode}")
    return usage.ru_utime + usage.ru_stime


def texts_to_read(rows):
    """(title, path, format): numbers, words, sparse rows and ARFF of the same size, a wide and a large table."""
    draw = random.Random(1)
    names = ",".join(f"x{j}" for j in range(20)) + ",class\n"
    words = [[f"level{j}_{v}" for v in range(5 + 3 * j)] for j in range(20)]
    numbers = lambda count: ",".join(f"{draw.gauss(0, 10):.6g}" for _ in range(count))
    def sparse(i):
        return f"{i % 7} " + " ".join(f"{k}:{draw.random():.5g}" for k in sorted(draw.sample(range(1, 2000), 20)))
    table = [f"{numbers(20)},c{i % 7}\n" for i in range(rows)]
    head = "@relation r\n" + "".join(f"@attribute x{j} numeric\n" for j in range(18)) + \
        "@attribute n {a,b,c}\n@attribute m {u,v}\n@attribute class {c0,c1,c2,c3,c4,c5,c6}\n@data\n"
    files = (("numbers, CSV", "numbers.csv", "csv", [names] + table),
             ("words, CSV", "words.csv", "csv", [names] + [
                 ",".join(draw.choice(levels) for levels in words) + f",c{i % 7}\n" for i in range(rows)]),
             ("sparse rows, LIBSVM", "sparse.svm", "libsvm", [sparse(i) + "\n" for i in range(rows)]),
             ("ARFF", "table.arff", "arff", [head] + [
                 f"{numbers(18)},{draw.choice('abc')},{draw.choice('uv')},c{i % 7}\n" for i in range(rows)]),
             ("numbers, wide CSV", "wide.csv", "csv", [",".join(f"x{j}" for j in range(600)) + ",class\n"] + [
                 ",".join(f"{max(-1, min(1, draw.gauss(0, .5))):.4f}" for _ in range(600)) + f",c{i % 7}\n"
                 for i in range(rows // 20)]),
             ("numbers, large CSV", "large.csv", "csv", [names] + 9 * table))
    WORK.mkdir(parents=True, exist_ok=True)
    for title, name, kind, lines in files:
        (WORK / name).write_text("".join(lines))
        yield title, WORK / name, kind


def scenario_against(options):
    """Reading, this build against the one of --against, CPU seconds of alternating runs."""
    if not options.against: # where all scenarios run
        return []
    rows = []
    for title, path, kind in texts_to_read(options.rows or 60000):
        def reads(build):
            return lambda: cpu_of([pathlib.Path(build) / "bench" / "bench_read", path, kind, 1, 1])
        mine, theirs = alternate(max(options.rounds, 9), reads(BUILD), reads(options.against))
        rows.append(Row(f"read {title}", 1, mine, "the other build", theirs, ">= 0.97",
                        f"{path.stat().st_size / 1e6:.0f} MB, CPU seconds"))
    return rows


BUILDS = {  # scenario: set, rows, command ({} is the file), of which both builds run the same
    "train": ("letter", 4000, f"train {{}} --rbf-gamma {RBF_GAMMA} --ridge {RIDGE} --calibrate no"),
    "train calibrated": ("letter", 4000, f"train {{}} --rbf-gamma {RBF_GAMMA} --ridge {RIDGE}"),
    "train automatic": ("letter", 2000, "train {}"),
    "predict": ("letter", 4000, "predict {model} {}"),
    "search": ("letter", 1500, f"cv {{}} --grid {GRID}"),
    "svm": ("letter", 4000, f"train {{}} --learner svm --code ovo --C {C} --rbf-gamma {RBF_GAMMA} --calibrate no"),
    "svmcodes": ("letter", 2000, f"train {{}} --learner svm --code dense --C {C} --rbf-gamma {RBF_GAMMA} --calibrate no"),
    "svmcodes automatic": ("letter", 4000, "train {} --learner svm --code dense --calibrate no"),
    "linearsvm": ("letter", 16000, "train {} --learner linear-svm --code ova --calibrate no"),
    "spoc": ("letter", 3000, f"train {{}} --machine spoc --C {C} --rbf-gamma {RBF_GAMMA} --calibrate no"),
    "ww": ("letter", 3000, f"train {{}} --machine ww --C {C} --rbf-gamma {RBF_GAMMA} --calibrate no"),
    "spoclinear": ("letter", 16000, "train {} --machine spoc --kernel linear --C 1 --calibrate no"),
    "constraint": ("pendigits", 3000, "train {} --machine constraint --kernel linear --calibrate no"),
    "stumps": ("letter", 8000, "train {} --learner adaboost --code ova --calibrate no"),
    "boosted trees": ("letter", 4000, "train {} --learner adaboost --code ova --depth 4 --rounds 30 --calibrate no"),
    "adaboost-mo": ("letter", 8000, "train {} --machine adaboost-mo --calibrate no"),
    "logitboost": ("pendigits", 4000, "train {} --learner logitboost --code ova --rounds 50 --calibrate no"),
    "trees": ("letter", 16000, "train {} --machine tree --calibrate no"),
    "logistic": ("letter", 8000, "train {} --learner logistic --code ova --calibrate no"),
    "softmax": ("letter", 8000, "train {} --machine softmax --calibrate no"),
    "online": ("mnist", 6000, "train {} --online"),
    "lpdesign": ("pendigits", 500, "train {} --machine designed --norm 1 --calibrate no"),
}


def scenario_builds(options):
    """Whole commands, this build against the one of --against, CPU seconds of alternating runs on one thread."""
    if not options.against: # where all scenarios run
        return []
    rows = []
    for title, (name, count, command) in BUILDS.items():
        if options.sets and title not in options.sets.split(","):
            continue
        path, n = sample(f"builds-{name}-{count}.csv", csv_rows(f"{name}/train.csv.gz"), count)
        model = WORK / "builds.model"
        def commanded(build):
            words = command.format(path, model=model).split()
            out = ["-o", model] if words[0] == "train" else []
            return lambda: cpu_of([pathlib.Path(build) / "polytomy", *words, *out, "-q", "--header", "no", "--threads", 1])
        if "{model}" in command: # one that both can read
            cpu_of([pathlib.Path(options.against) / "polytomy", "train", path, "-o", model, "-q", "--header", "no",
                    "--rbf-gamma", RBF_GAMMA, "--ridge", RIDGE])
        commanded(BUILD)() # the first run pays for what the system has not read yet
        mine, theirs = alternate(max(options.rounds, 3), commanded(BUILD), commanded(options.against))
        rows.append(Row(f"{title}: {name}, n = {n}", 1, mine, "the other build", theirs, ">= 0.97", "CPU seconds"))
    return rows


ONE_ROW = {  # model: how it is trained on letter, and the bar in microseconds
    "softmax": ("--machine softmax", 1),
    "tree": ("--machine tree", 1),
    "oneLSM, 16000 centres": ("--machine onelsm --sigma 0.3 --ridge 0.1", 100),
    "all pairs of SVMs": ("--code ovo --learner svm --sigma 0.3 --C 10", 0),
}


def scenario_one_row(options):
    """One row of letter: by a scorer and by pt_model_predict, this build's and that of --against; microseconds."""
    rows = []
    train, test, _ = letter(options.rows)
    for title, (how, bar) in ONE_ROW.items():
        model = WORK / "one-row.model"
        ours("train", train, "-o", model, "--header", "no", "--calibrate", "no", *how.split(), threads=2)
        def timed(build, program):
            return lambda: asked([pathlib.Path(build) / "bench" / program, model, test], threads=1)
        builds = [BUILD] + ([options.against] if options.against else [])
        mine, *theirs = alternate(max(options.rounds, 5), timed(BUILD, "bench_score_row"),
                                  *[timed(build, "bench_one_row") for build in builds])
        for build, answers in zip(builds, theirs):
            for part in ("least", "median"):
                rows.append(Row(f"one row, {title}", 1, [a[part] for a in mine],
                                "pt_model_predict" + (", the other build" if build != BUILD else ""),
                                [a[part] for a in answers], "", f"{part} of batches, microseconds of processor time"
                                + (f"; bar {bar}" if bar else "")))
    return rows


CALIBRATED = {
    "onelsm": "--machine onelsm --kernel rbf --sigma 1 --ridge 0.0625",
    "spoc": "--machine spoc --kernel rbf --sigma 1",
    "SVM, all pairs": "--code ovo --learner svm --kernel rbf --sigma 1",
    "one-vs-all AdaBoost, depth 1": "--code ova --learner adaboost --depth 1",
    "one-vs-all AdaBoost, depth 4": "--code ova --learner adaboost --depth 4",
    "one-vs-all AdaBoost, depth 8": "--code ova --learner adaboost --depth 8",
    "adaboost-mo": "--machine adaboost-mo", "adaboost-mh": "--machine adaboost-mh", "tree": "--machine tree",
    "softmax": "--machine softmax", "one-vs-all logistic": "--code ova --learner logistic",
    "designed, linear SVM": "--machine designed --learner linear-svm",
    "constraint, linear": "--machine constraint --kernel linear",
}


def scenario_calibration(options):
    """What calibration adds to training above 5000 rows: --calibrate yes against no, CPU seconds of the whole command."""
    rows = []
    for name, rows_of in (("pendigits", 0), ("letter", 0), ("poker", 20000)):
        if options.sets and name not in options.sets.split(","):
            continue
        path, n = sample(f"calibration-{name}.csv", csv_rows(f"{name}/train.csv.gz"), options.rows or rows_of)
        for machine, how in CALIBRATED.items():
            def trained(calibrate):
                return lambda: cpu_of([TOOL, "train", path, "-o", WORK / "calibration.model", "-q", "--header", "no",
                                       "--threads", 1, "--calibrate", calibrate, *how.split()])
            trained("no")() # the first run of a machine pays for what the system has not read yet
            mine, theirs = alternate(options.rounds, trained("yes"), trained("no"))
            added = [with_it / without - 1 for with_it, without in zip(mine, theirs)]
            rows.append(Row(f"calibration, {machine}, {name}, n = {n}", 1, mine, "--calibrate no", theirs,
                            ">= 0.5 (adds one training)", f"adds {span(added, 2)}"))
    return rows


def scenario_memory(options):
    """Peak memory of training letter in float32, beside 4 n^2 bytes."""
    train, _, n = letter(options.rows)
    answer = ours("train", train, "-o", WORK / "letter.model", *train_options(), threads=2)
    full = 4 * n * n
    return [Row(f"peak memory, train letter, n = {n} (GB)", 2, [answer["peak_bytes"] / 1e9],
                "4 n^2 bytes", [full / 1e9], ">= 1.67 (ours <= 0.6 x)",
                f"{answer['peak_bytes'] / full:.3f} x 4 n^2")]


def scenario_busy(options):
    """Training while another process keeps one of the two cores busy."""
    train, _, n = letter(min(options.rows or 8000, 8000))
    cores = sorted(os.sched_getaffinity(0))
    def mine():
        return ours("train", train, "-o", WORK / "busy.model", *train_options(), threads=2)
    def disturbed():
        spin = subprocess.Popen([sys.executable, "-c", "import os\n"
                                 f"os.sched_setaffinity(0, {{{cores[-1]}}})\nwhile True: pass"])
        try:
            return mine()
        finally:
            spin.kill()
            spin.wait()
    result = alternate(options.rounds, mine, disturbed)
    return [Row(f"train letter, n = {n}, a core busy", 2, [seconds_of(a, "train") for a in result[0]],
                "ourselves, disturbed", [seconds_of(a, "train") for a in result[1]], "<= 2.5")]


def scenario_linear(options):
    """A linear oneLSM on letter beside LIBLINEAR's Crammer-Singer machine: what each costs and gives."""
    train, test, n = letter(options.rows)
    if "newest" not in pythons():
        raise Failed("liblinear-official is not there")
    result = alternate(
        max(options.rounds, 5),
        lambda: ours("train", train, "-o", WORK / "linear.model", "--header", "no", "--kernel", "linear",
                     "--ridge", "1", threads=1),
        lambda: peer("peer_linear.py", train, test, "1", which="newest", threads=1))
    tested = ours("eval", WORK / "linear.model", test, "--header", "no", threads=1)
    return [Row(f"train linear, letter, n = {n}", 1, [seconds_of(a, "train") for a in result[0]],
                "liblinear-official -s 4", [a["train"] for a in result[1]], "",
                f"test error {100 * tested['error']:.1f} %, theirs {100 * result[1][0]['error']:.1f} %")]


def scenario_vosvm(options):
    """vo-SVM on letter, coupled classes and not, against C-SVC: LIBSVM's own and scikit-learn's."""
    train, test, n = letter(options.rows)
    peers = [(which, "peer_svc.py") for which in pythons()]
    peers += [("newest", "peer_svm.py")] if "newest" in pythons() else []
    rows = []
    for labelbook in ("mincorr", "indicator"):
        for threads in (1, 2):
            def mine(threads=threads, labelbook=labelbook):
                return ours("train", train, "-o", WORK / "vosvm.model", "--header", "no", "--machine", "vo-svm",
                            "--labelbook", labelbook, "--kernel", "rbf", "--rbf-gamma", RBF_GAMMA, "--C", C,
                            "--gap", "1e-3", threads=threads)
            result = alternate(options.rounds, mine, *[or_none(
                lambda which=which, script=script, threads=threads: peer(
                    script, train, test, RBF_GAMMA, C, which=which, threads=threads))
                for which, script in peers])
            theirs = [answers for answers in result[1:] if all(answers)]
            if not theirs:
                raise Failed("no peer ran")
            tested = ours("eval", WORK / "vosvm.model", test, "--header", "no", threads=threads)
            name, seconds = faster([(a[0]["version"], [b["train"] for b in a]) for a in theirs])
            rows.append(Row(f"train vo-svm {labelbook}, letter, n = {n}", threads,
                            [seconds_of(answer, "train") for answer in result[0]], name, seconds, "> 1",
                            f"test error {100 * tested['error']:.2f} %, theirs {100 * theirs[0][0]['error']:.2f} %"))
    return rows


# ---- support vector machines under codes ---------------------------------------------------------

# name: C, rbf-gamma, training rows (0: all); what is common for these sets
SVM_SETS = {"letter": ("16", "2", 0), "pendigits": ("16", "0.5", 0), "satimage": ("16", "1", 0),
            "usps": ("10", "0.0078", 0), "isolet": ("16", "0.002", 0), "mnist": ("10", "0.02", 10000)}


def svm_files(name, rows):
    """The prefix of the prepared files of a set: PREFIX-train.csv, PREFIX-test.npz, ..."""
    prefix = WORK / f"svm-{name}{'-' + str(rows) if rows else ''}"
    if not pathlib.Path(f"{prefix}-test.npz").exists():
        WORK.mkdir(parents=True, exist_ok=True)
        source(f"{name}/train.csv.gz")
        command = [sys.executable, PEERS / "svm_data.py", os.environ["POLYTOMY_DATA"], name, prefix, str(rows)]
        if subprocess.run(command).returncode != 0:
            raise Failed(f"{name} could not be prepared")
    return prefix


def our_svm(prefix, cost, gamma, more, threads):
    """Training and prediction in memory, by bench/bench_svm.c; and the labels."""
    labels = WORK / "labels-ours"
    options = f"machine=code,learner=svm,kernel=rbf,rbf-gamma={gamma},C={cost},scale=none,header=no," \
              f"calibrate=no,{more}"
    answer = asked([BUILD / "bench" / "bench_svm", f"{prefix}-train.csv", f"{prefix}-test.csv", threads, options,
                    labels], threads)
    answer["labels"] = labels.read_text().split()
    return answer


def their_svm(kind, prefix, cost, gamma, which, *more):
    labels = WORK / "labels-theirs"
    answer = peer("peer_svm_codes.py", kind, f"{prefix}-train.npz", f"{prefix}-test.npz", gamma, cost, labels,
                  *more, which=which, threads=1)
    answer["labels"] = labels.read_text().split()
    return answer


def from_files(train, predict):
    """Two commands by the wall: a file becomes a model, a model and a file become labels."""
    def once():
        answers = {}
        for part, command in (("train", train), ("predict", predict)):
            _, answers[part], _, code, errors = run(command, command[-1] if command[0] == TOOL else 1)
            if code != 0:
                raise Failed(f"{' '.join(map(str, command))}\nexit {code}: {errors.strip()[-600:]}")
        return answers
    return once


def our_files(prefix, cost, gamma, more, threads):
    model = WORK / "svm.model"
    parameters = ["--machine", "code", "--learner", "svm", "--kernel", "rbf", "--rbf-gamma", gamma, "--C", cost,
                  "--scale", "none", "--calibrate", "no", *more, "--quiet", "--threads", threads]
    return from_files([TOOL, "train", f"{prefix}-train.svm", "-o", model, "--merge", "no", *parameters],
                      [TOOL, "predict", model, f"{prefix}-test.svm", "-o", os.devnull, "--threads", threads])


def libsvm_files(prefix, cost, gamma):
    model = WORK / "libsvm.model"
    return from_files(["svm-train", "-q", "-m", "2000", "-c", cost, "-g", gamma, f"{prefix}-train.svm", model],
                      ["svm-predict", "-q", f"{prefix}-test.svm", model, os.devnull])


def agreement(mine, theirs):
    """What is different between the answers: decisions, and the dual objective where it is known."""
    differing = sum(a != b for a, b in zip(mine["labels"], theirs["labels"]))
    text = f"test error {100 * mine['error']:.2f} %, theirs {100 * theirs['error']:.2f} %; {differing} of " \
           f"{len(mine['labels'])} decisions differ"
    if mine.get("dual") and theirs.get("dual"):
        text += f"; dual {mine['dual'] / theirs['dual'] - 1:+.1e}"
    return text


def mean_row(rows, what, threads, bar):
    """The geometric mean over the sets of the median ratios, as a row of its own."""
    ratios = [statistics.median(row.ratios()) for row in rows]
    if len(ratios) < 2:
        return []
    row = Row(f"{what}: geometric mean of {len(ratios)} sets", threads, [1.0], "the fastest peer of each",
              [statistics.geometric_mean(ratios)], bar, f"smallest {min(ratios):.1f}")
    return [row]


def svm_set_rows(options, name):
    """{(what, threads): row} of one set."""
    cost, gamma, rows = SVM_SETS[name]
    prefix = svm_files(name, options.rows or rows)
    inside = [lambda which=which: their_svm("pairs", prefix, cost, gamma, which, "dual") for which in pythons()]
    inside += [lambda: their_svm("libsvm", prefix, cost, gamma, "newest")] if "newest" in pythons() else []
    result = alternate(
        options.rounds, *[lambda t=t: our_svm(prefix, cost, gamma, "code=ovo,decode=vote", t) for t in (1, 2)],
        *[our_files(prefix, cost, gamma, ["--code", "ovo", "--decode", "vote"], t) for t in (1, 2)],
        libsvm_files(prefix, cost, gamma), *[or_none(function) for function in inside])
    theirs = [answers for answers in result[5:] if all(answers)]
    if not theirs:
        raise Failed("no peer ran")
    remark = agreement(result[0][0], theirs[0][0])
    table = {}
    for threads in (1, 2):
        for part in ("train", "predict"):
            peer_name, seconds = faster([(a[0]["version"], [b[part] for b in a]) for a in theirs])
            table[part, threads] = Row(f"svm pairs, {part} {name}", threads, [a[part] for a in result[threads - 1]],
                                       peer_name, seconds, "", remark if part == "train" else "")
            word = "file to model" if part == "train" else "file to labels"
            table[word, threads] = Row(f"svm pairs, {word} {name}", threads,
                                       [a[part] for a in result[threads + 1]], "LIBSVM's tools",
                                       [a[part] for a in result[4]], "")
    return table


def scenario_svm(options):
    """C-SVC, all pairs, Gaussian kernel, six sets: against SVC and LIBSVM."""
    chosen = [name for name in SVM_SETS if not options.sets or name in options.sets.split(",")]
    tables = [svm_set_rows(options, name) for name in chosen]
    bars = {("train", 1): ">= 10, none below 6, letter >= 14", ("file to model", 1): ">= 8",
            ("predict", 1): ">= 18, none below 13"}
    rows = []
    for key in tables[0]:
        some = [table[key] for table in tables]
        rows += some + mean_row(some, f"svm pairs, {key[0]}", key[1], bars.get(key, ""))
    for part in ("train", "predict"): # ours on one thread against ours on two
        some = [Row("", 2, table[part, 2].mine, "", table[part, 1].mine, "") for table in tables]
        rows += mean_row(some, f"svm pairs, {part}, two threads against one", 2, ">= 1.6")
    return rows


def code_rows(options, kind, code, bars):
    """Training and prediction through a code on 4000 rows of letter."""
    cost, gamma, _ = SVM_SETS["letter"]
    rows = options.rows or 4000
    prefix = svm_files("letter", rows)
    mine = [lambda t=t: our_svm(prefix, cost, gamma, code, t) for t in (1, 2)]
    peers = [lambda which=which: their_svm(kind, prefix, cost, gamma, which) for which in pythons()]
    result = alternate(options.rounds, *mine, *[or_none(function) for function in peers])
    theirs = [answers for answers in result[2:] if all(answers)]
    if not theirs:
        raise Failed("no peer ran")
    made = []
    for part, bar in zip(("train", "predict"), bars):
        name, seconds = faster([(a[0]["version"], [b[part] for b in a]) for a in theirs])
        made += [Row(f"svm {kind}, {part} letter, n = {rows}", threads, [a[part] for a in result[threads - 1]],
                     name, seconds, bar if threads == 1 else "",
                     agreement(result[0][0], theirs[0][0]) if part == "train" else "") for threads in (1, 2)]
    return made


def scenario_svmcodes_ova(options):
    """One-vs-all on 4000 rows of letter against OneVsRestClassifier(SVC)."""
    return code_rows(options, "ova", "code=ova", (">= 12", ">= 30"))


def scenario_svmcodes_dense(options):
    """A dense random code of 47 columns on 4000 rows of letter against OutputCodeClassifier(SVC)."""
    return code_rows(options, "dense47", "code=dense,columns=47", (">= 15", ">= 30"))


LINEAR_SETS = [("news20", 0), ("usps", 0), ("isolet", 0), ("mnist", 10000)]
LINEAR_COST, LINEAR_GAP = "1", "1e-3"


def linear_files(name, rows):
    """(the file that we read, the one that LIBLINEAR reads): news20 with rows of unit length."""
    if name != "news20":
        prefix = svm_files(name, rows)
        return f"{prefix}-train.csv", f"{prefix}-train.svm"
    raw, unit = unpacked("news20/train.svm.gz", "news20.svm", rows), WORK / "news20-unit.svm"
    peer("peer_linear_svm.py", "unit", raw, unit, which="Debian", threads=1)
    return unit, unit


def linear_set_rows(options, name, rows):
    """The gap of LIBLINEAR is found first, by a ladder of its eps; then both run alternately."""
    mine_file, their_file = linear_files(name, options.rows or rows)
    found = peer("peer_linear_svm.py", "fit", their_file, LINEAR_COST, LINEAR_GAP, which="Debian", threads=1)
    def mine(threads):
        setting = f"C={LINEAR_COST},gap={LINEAR_GAP},scale=none,header=no"
        return asked([BUILD / "bench" / "bench_linear_svm", mine_file, threads, setting], threads)
    result = alternate(options.rounds, lambda: mine(1), lambda: peer(
        "peer_linear_svm.py", "fit", their_file, LINEAR_COST, LINEAR_GAP, found["eps"], which="Debian", threads=1),
        lambda: mine(2))
    dual = found["dual"]
    remark = f"above LIBLINEAR's dual value: ours {result[0][0]['primal'] / dual - 1:.1e}, " \
             f"theirs {found['primal'] / dual - 1:.1e} (eps {found['eps']:g}, {found['passes']} passes)"
    title = f"linear SVM one-vs-all, {name}{', ' + str(rows) + ' rows' if rows else ''}"
    return [Row(title, 1, [a["cpu"] for a in result[0]], found["version"], [a["cpu"] for a in result[1]],
                "geometric mean >= 1.5", remark),
            Row(title, 2, [a["train"] for a in result[2]], "ours, one thread", [a["train"] for a in result[0]], "> 1")]


def scenario_linearsvm(options):
    """Linear SVMs one-vs-all against LIBLINEAR -s 3, to the same duality gap; fit only, processor seconds."""
    rows = [row for name, n in LINEAR_SETS for row in linear_set_rows(options, name, n)]
    ratios = [statistics.median(row.ratios()) for row in rows if row.threads == 1]
    rows[0].more += f"; geometric mean of the sets {statistics.geometric_mean(ratios):.2f}"
    return rows


TREE_SETS = ["letter", "pendigits", "satimage", "isolet"]


def tree_set_rows(options, name, criterion):
    """One tree for all classes, in bins and exact, in memory on both sides."""
    prefix = svm_files(name, options.rows)
    def mine(bins, threads):
        setting = f"machine=tree,criterion={criterion},bins={bins},header=no,calibrate=no"
        return asked([BUILD / "bench" / "bench_svm", f"{prefix}-train.csv", f"{prefix}-test.csv", threads, setting],
                     threads)
    peers = [lambda which=which: peer("peer_trees.py", f"{prefix}-train.npz", f"{prefix}-test.npz", criterion,
                                      which=which, threads=1) for which in pythons()]
    ours_are = [(256, 1), (0, 1), (256, 2)]
    result = alternate(options.rounds, *[lambda o=o: mine(*o) for o in ours_are],
                       *[or_none(function) for function in peers])
    theirs = [answers for answers in result[len(ours_are):] if all(answers)]
    if not theirs:
        raise Failed("no peer ran")
    rows = []
    for (bins, threads), answers in zip(ours_are, result):
        for part in ("train", "predict"):
            peer_name, seconds = faster([(a[0]["version"], [b[part] for b in a]) for a in theirs])
            remark = f"test error {100 * answers[0]['error']:.2f} %, theirs {100 * theirs[0][0]['error']:.2f} %"
            rows.append(Row(f"tree, {criterion}, {'256 bins' if bins else 'exact'}, {part} {name}", threads,
                            [a[part] for a in answers], peer_name, seconds,
                            ">= 1" if threads == 1 and part == "train" else "", remark if part == "train" else ""))
    return rows


def scenario_trees(options):
    """One decision tree for all classes against DecisionTreeClassifier: fit and predict, in bins and exact."""
    chosen = [name for name in TREE_SETS if not options.sets or name in options.sets.split(",")]
    return [row for name in chosen for criterion in ("gini", "entropy") for row in tree_set_rows(options, name, criterion)]


LOGISTIC_SETS = [("news20", 0), ("usps", 0), ("isolet", 0), ("mnist", 10000)]
SOFTMAX_SETS = [("letter", 0), ("usps", 0), ("isolet", 0), ("news20", 0)]
LOGISTIC_COST, LOGISTIC_GAP = "1", 1e-4
LOGISTIC_EPS = [0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 5e-3, 2e-3, 1e-3, 5e-4, 2e-4, 1e-4, 1e-5]


def logistic_set_rows(options, name, rows, machine, solvers, bar):
    """Both sides stop at the first rung of their ladders that is within LOGISTIC_GAP of the least value known."""
    mine_file, their_file = linear_files(name, options.rows or rows)
    def mine(eps, threads=1):
        setting = f"{machine},C={LOGISTIC_COST},eps={eps:g},scale=none,header=no"
        return asked([BUILD / "bench" / "bench_logistic", mine_file, threads, setting], threads)
    goal = mine(1e-8)["primal"] * (1 + LOGISTIC_GAP)
    eps = next(e for e in LOGISTIC_EPS if mine(e)["primal"] <= goal)
    found = {s: peer("peer_logistic.py", their_file, LOGISTIC_COST, s, f"{goal:.12g}", which="Debian", threads=1)
             for s in solvers}
    for solver, answer in found.items():
        if answer["primal"] > goal:
            raise Failed(f"{solver} does not come within {LOGISTIC_GAP:g} of our value on {name}")
    result = alternate(options.rounds, lambda: mine(eps), lambda: mine(eps, 2), *[
        lambda s=s: peer("peer_logistic.py", their_file, LOGISTIC_COST, s, f"{goal:.12g}", found[s]["tol"],
                         which="Debian", threads=1) for s in solvers])
    version, seconds = faster([(a[0]["version"], [b["cpu"] for b in a]) for a in result[2:]])
    best = goal / (1 + LOGISTIC_GAP)
    theirs = min(a["primal"] for a in found.values())
    remark = f"above the least value: ours {result[0][0]['primal'] / best - 1:.1e} (eps {eps:g}), theirs {theirs / best - 1:.1e}"
    title = f"{'softmax' if 'softmax' in machine else 'logistic one-vs-all'}, {name}{', ' + str(rows) + ' rows' if rows else ''}"
    return [Row(title, 1, [a["cpu"] for a in result[0]], version, seconds, bar, remark),
            Row(title, 2, [a["train"] for a in result[1]], "ours, one thread", [a["train"] for a in result[0]], "> 1")]


def scenario_logistic(options):
    """Logistic regression one-vs-all against LIBLINEAR -s 0, to the same value; fit only, processor seconds."""
    return [row for name, n in LOGISTIC_SETS if not options.sets or name in options.sets.split(",") for row in logistic_set_rows(
        options, name, n, "machine=code,learner=logistic,code=ova", ["liblinear"], ">= 1.5")]


def scenario_softmax(options):
    """Multinomial logistic regression against scikit-learn's L-BFGS and Newton-CG, to the same value; processor seconds."""
    return [row for name, n in SOFTMAX_SETS if not options.sets or name in options.sets.split(",") for row in logistic_set_rows(
        options, name, n, "machine=softmax", ["lbfgs", "newton-cg"], "> 1")]
STUMP_SETS = {"pendigits": ">= 80", "letter": ">= 150", "isolet": ">= 40"}
STUMP_ROUNDS = 100


def stump_set_rows(options, name):
    """100 rounds of stumps, one against all; AdaBoost.MO of the same columns. The peer takes minutes on isolet: once."""
    prefix = svm_files(name, options.rows)
    def mine(machine, boost, threads):
        setting = f"{machine},code=ova,boost={boost},rounds={STUMP_ROUNDS},header=no,calibrate=no"
        return asked([BUILD / "bench" / "bench_svm", f"{prefix}-train.csv", f"{prefix}-test.csv", threads, setting],
                     threads)
    multi, single = "machine=code,learner=adaboost", "machine=adaboost-mo"
    ours_are = [(multi, "confidence", 1), (multi, "discrete", 1), (multi, "confidence", 2), (single, "confidence", 1),
                (single, "discrete", 1)]
    rounds = 1 if name == "isolet" else options.rounds
    result = alternate(rounds, *[lambda o=o: mine(*o) for o in ours_are],
                       or_none(lambda: peer("peer_stumps.py", f"{prefix}-train.npz", f"{prefix}-test.npz", STUMP_ROUNDS,
                                            which="Debian", threads=1)))
    theirs = result.pop()
    if not all(theirs):
        raise Failed("the peer did not run")
    seconds = {o: [answer["train"] for answer in answers] for o, answers in zip(ours_are, result)}
    rows = []
    for (machine, boost, threads), answers in zip(ours_are, result):
        remark = f"test error {100 * answers[0]['error']:.2f} %"
        if machine == multi:
            rows.append(Row(f"stumps one-vs-all, {boost}, train {name}", threads, seconds[machine, boost, threads],
                            theirs[0]["version"], [a["train"] for a in theirs], STUMP_SETS[name] if threads == 1 else "",
                            f"{remark}, theirs {100 * theirs[0]['error']:.2f} %"))
            rows.append(Row(f"stumps one-vs-all, {boost}, predict {name}", threads, [a["predict"] for a in answers],
                            theirs[0]["version"], [a["predict"] for a in theirs], "", "scores and labels of the test rows"))
        else:
            rows.append(Row(f"AdaBoost.MO, {boost}, train {name}", threads, seconds[machine, boost, threads],
                            "ours, one-vs-all", seconds[multi, boost, threads], ">= 1", remark))
    return rows


def scenario_stumps(options):
    """Boosted stumps, one-vs-all, against OneVsRestClassifier(AdaBoostClassifier); AdaBoost.MO against one-vs-all."""
    chosen = [name for name in STUMP_SETS if not options.sets or name in options.sets.split(",")]
    return [row for name in chosen for row in stump_set_rows(options, name)]


def scenario_spoc(options):
    """SPOC on 5000 rows of letter and on pendigits, to kernlab's dual value and to a gap of 1e-3: processor seconds."""
    rows = []
    for name, rows_of, bar in (("letter", 5000, ">= 20"), ("pendigits", 0, ">= 10")):
        cost, gamma, _ = SVM_SETS[name]
        train = f"{svm_files(name, options.rows or rows_of)}-train.csv"

        def mine(gap):
            parameters = f"C={cost},rbf-gamma={gamma},kernel=rbf,scale=none,header=no,gap={gap}"
            return asked([BUILD / "bench" / "bench_spoc", train, 1, parameters], 1)

        def kernlab():
            return asked(["Rscript", PEERS / "peer_kernlab.R", train, gamma, cost], 1)

        goal = kernlab()["dual"]
        same = next(gap for gap in ("1e-1", "6e-2", "3e-2", "2e-2", "1e-2", "6e-3", "3e-3", "1e-3", "1e-4", "1e-6") if mine(gap)["dual"] >= goal)
        first, proved, theirs = alternate(options.rounds, lambda: mine(same), lambda: mine("1e-3"), kernlab)
        for word, answers, aim in (("to the same dual", first, bar), ("gap 1e-3", proved, "")):
            rows.append(Row(f"spoc, train {name}, {word}", 1, [a["work"] for a in answers], theirs[0]["version"],
                            [a["train"] for a in theirs], aim,
                            f"dual {answers[0]['dual']:.8g}, primal {answers[0]['primal']:.8g}, theirs {goal:.8g}"))
    return rows


def scenario_constraint(options):
    """The machine constraint on classes, without a bias, against ours ww, the same problem: processor seconds of training."""
    rows = []
    for name, kernel in (("letter", "linear"), ("usps", "linear"), ("satimage", "rbf"), ("pendigits", "rbf")):
        if options.sets and name not in options.sets.split(","):
            continue
        cost, gamma, _ = SVM_SETS[name]
        train = f"{svm_files(name, options.rows)}-train.csv"
        how = f"C={cost},kernel=rbf,rbf-gamma={gamma}" if kernel == "rbf" else "C=1,kernel=linear"

        def trained(machine):
            return lambda: asked([BUILD / "bench" / "bench_spoc", train, 1, f"{machine},{how},scale=none,header=no,gap=1e-3"], 1)
        mine, theirs = alternate(options.rounds, trained("machine=constraint,bias=no"), trained("machine=ww"))
        rows.append(Row(f"constraint, train {name}, {kernel}", 1, [a["work"] for a in mine], "ours, ww", [a["work"] for a in theirs],
                        ">= 0.9", f"primal {mine[0]['primal']:.8g}, theirs {theirs[0]['primal']:.8g}"))
    return rows


CLP_WAYS = [before + program for program in ("primal", "dual") for before in ("", "presolve-", "unscaled-")]


def scenario_spoccv(options):
    """Cross-validation of spoc and ww over C and the width on letter: warm starts against training anew."""
    path, n = sample("letter-2000.csv", csv_rows("letter/train.csv.gz"), options.rows or 2000)
    rows = []
    for machine in ("spoc", "ww"):
        def searched(*more, machine=machine):
            return lambda: ours("cv", path, "--header", "no", "--machine", machine, "--kernel", "rbf", "--grid",
                                "C=2^-2:2^6,rbf-gamma=0.5,1,2", "--folds", 5, *more, threads=1)
        warm, anew = alternate(options.rounds, searched(), searched("--scale-per-fold"))
        rows.append(Row(f"27-point search, {machine}, letter, n = {n}, 5 folds", 1, [seconds_of(a, "train") for a in warm],
                        "ours, brute force", [seconds_of(a, "train") for a in anew], "> 1",
                        f"error {100 * warm[0]['error']:.2f} %, theirs {100 * anew[0]['error']:.2f} %"))
    return rows


def scenario_lpdesign(options):
    """Code design by linear programs, 1000 rows, 10 classes, 45 columns, against Clp on the whole program: processor seconds."""
    rows = []
    for name in [name for name in ("usps", "pendigits") if not options.sets or name in options.sets.split(",")]:
        prefix = svm_files(name, 0)
        for norm, cost in (("1", "0.1"), ("1", "1"), ("inf", "0.001"), ("inf", "0.01")):
            def solved(way):
                return asked([BUILD / "bench" / "bench_lpdesign", f"{prefix}-train.csv", f"{prefix}-test.csv",
                              options.rows or 1000, way, norm, cost], 1)

            value = solved("ours")["value"]
            # With its own tolerances, 1e-7, Clp may end off the solution where the bounds of a dual program, C, are not far above.
            tried = {way: solved(way) for way in CLP_WAYS}
            right = [way for way in CLP_WAYS if abs(tried[way]["value"] - value) <= 1e-6 * value]
            best = min(right, key=lambda way: tried[way]["work"])
            mine, theirs = alternate(options.rounds, lambda: solved("ours"), lambda: solved(best))
            wrong = "".join(f"; {way} ends at {tried[way]['value']:.6g}" for way in CLP_WAYS if way not in right)
            rows.append(Row(f"design {name}, p = {norm}, C = {cost}", 1, [a["work"] for a in mine], f"Clp, {best}",
                            [a["work"] for a in theirs], ">= 0.83", f"value {value:.8g}, theirs {theirs[0]['value']:.8g}{wrong}"))
    return rows


SPOC_LINEAR_SETS = [("letter", True), ("usps", True), ("isolet", True), ("mnist", False), ("news20", False)]  # name, dense
SPOC_LINEAR_COST, SPOC_LINEAR_EPS = "1", "0.1"  # the eps of LIBLINEAR -s 4 where none is given
SPOC_LINEAR_GAPS = ["1"] + [f"{digit}e-{power}" for power in range(1, 6) for digit in (7, 5, 4, 3, 2, 1.4, 1)]


def spoc_linear_rows(options, name):
    """Ours at the largest gap of a ladder whose primal value is no higher than the peer's."""
    mine_file, their_file = linear_files(name, options.rows)
    def mine(gap, threads=1):
        setting = f"C={SPOC_LINEAR_COST},gap={gap},scale=none,header=no"
        return asked([BUILD / "bench" / "bench_spoc_linear", mine_file, threads, setting], threads)
    def theirs():
        return peer("peer_spoc_linear.py", their_file, SPOC_LINEAR_COST, SPOC_LINEAR_EPS, which="Debian", threads=1)
    goal = theirs()["primal"]
    gap = SPOC_LINEAR_GAPS[bisect.bisect_left(SPOC_LINEAR_GAPS, True, key=lambda g: mine(g)["primal"] <= goal)]
    one, peers, two = alternate(options.rounds, lambda: mine(gap), theirs, lambda: mine(gap, 2))
    remark = f"primal {one[0]['primal']:.8g} (gap {gap}), theirs {goal:.8g}, at least {one[0]['dual']:.8g}"
    return [Row(f"spoc linear, {name}", 1, [a["work"] for a in one], peers[0]["version"], [a["cpu"] for a in peers],
                ">= 2.5", remark),
            Row(f"spoc linear, {name}", 2, [a["train"] for a in two], "ours, one thread", [a["train"] for a in one], "")]


def scenario_spoclinear(options):
    """The linear machine of Crammer and Singer against LIBLINEAR -s 4, to its primal value; solve only, processor seconds."""
    chosen = [(name, dense) for name, dense in SPOC_LINEAR_SETS if not options.sets or name in options.sets.split(",")]
    made = [(dense, spoc_linear_rows(options, name)) for name, dense in chosen]
    def mean(which):
        ratios = [statistics.median(rows[0].ratios()) for dense, rows in made if dense or not which]
        return f"{statistics.geometric_mean(ratios):.2f}" if ratios else "none"
    rows = [row for _, some in made for row in some]
    rows[0].more += f"; geometric mean of the sets {mean(False)} (bar 4), of the dense ones {mean(True)} (bar 5)"
    return rows


ONLINE_SETS = ["news20", "mnist"]


def online_files(name, rows):
    """Training and test rows of a set as LIBSVM text, features as they are."""
    paths = []
    for part in ("train", "test"):
        if name == "news20":
            paths.append(unpacked(f"news20/{part}.svm.gz", f"news20-{part}.svm", rows))
            continue
        table = unpacked(f"{name}/{part}.csv.gz", f"{name}-{part}.csv", rows)
        paths.append(WORK / f"{name}-{part}.svm")
        asked([TOOL, "convert", table, paths[-1], "--header", "no", "--json"])
    return paths


def online_test_error(train, test, update):
    """Of the model that one pass over the stream gives."""
    model = WORK / "online.model"
    ours("train", "--online", train, "-o", model, "--update", update, threads=1)
    return ours("eval", model, test, threads=1)["error"]


def online_set_rows(options, name):
    """Rounds of five: a round is one process of ours and one of each peer; the bars are of the medians."""
    train, test = online_files(name, options.rows)
    size = train.stat().st_size / 1e6
    def mine(update):
        return lambda: asked([BUILD / "bench" / "bench_online", train, f"update={update}", "5"], 1)
    kinds = [("sparse", "rows sparse")] + ([("dense", "rows dense")] if name == "mnist" else [])
    peers = [lambda which=which, kind=kind: peer("peer_online.py", train, test, kind, which=which, threads=1)
             for which in pythons() for kind, _ in kinds]
    words = [f", {word}" for _ in pythons() for _, word in kinds]
    plain, averaged, *theirs = alternate(options.rounds, mine("perceptron"), mine("averaged"), *peers)
    def times(answers, part):
        return [statistics.median(a[part]) for a in answers]
    rows = []
    for update, answers in (("perceptron", plain), ("averaged", averaged)):
        bare = faster([("bare parse, block by block", times(answers, "parse")),
                       ("bare parse, the whole file", times(answers, "read"))])
        error = online_test_error(train, test, update)
        rows.append(Row(f"online {update}, {name}, from the file", 1, times(answers, "stream"), *bare, ">= 0.6",
                        f"{size:.1f} MB, {size / statistics.median(times(answers, 'stream')):.0f} MB/s; "
                        f"test error {100 * error:.1f} %"))
    for learner in theirs[0][0]["learners"]:
        version, seconds = faster([(a[0]["version"] + word, [b["learners"][learner]["cpu"] for b in a])
                                   for a, word in zip(theirs, words)])
        remark = f"their test error {100 * theirs[0][0]['learners'][learner]['error']:.1f} %"
        rows.append(Row(f"online perceptron, {name}, in memory", 1, times(plain, "memory"), f"{learner}, {version}",
                        seconds, "> 1", remark))
        rows.append(Row(f"online perceptron, {name}, from the file", 1, times(plain, "stream"),
                        f"{learner}, {version}, in memory", seconds, "> 1", remark))
    return rows


def scenario_online(options):
    """One pass of online learning: against the bare parse of the text, and one epoch of scikit-learn's; processor seconds."""
    chosen = [name for name in ONLINE_SETS if not options.sets or name in options.sets.split(",")]
    return [row for name in chosen for row in online_set_rows(options, name)]


SCENARIOS = {name[len("scenario_"):].replace("_", "-"): function
             for name, function in list(globals().items()) if name.startswith("scenario_")}


# ---- the report ----------------------------------------------------------------------------------

def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text().split("\n"):
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor()


def heading():
    info = subprocess.run([TOOL, "version"], capture_output=True, text=True).stdout.strip()
    return [f"- {datetime.date.today()}, {processor()}, {len(os.sched_getaffinity(0))} cores, "
            f"{platform.freedesktop_os_release().get('PRETTY_NAME', platform.system())}",
            "- " + "; ".join(line for line in info.split("\n") if line),
            "- seconds: median of alternating runs [smallest, largest]; the ratio is taken within a round"]


def table(rows):
    lines = ["| " + " | ".join(HEAD) + " |", "|" + " --- |" * len(HEAD)]
    return lines + ["| " + " | ".join(row.cells()) + " |" for row in rows]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("names", nargs="*", help="of: " + ", ".join(SCENARIOS))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--rows", type=int, default=0, help="cut the data down to this many rows")
    parser.add_argument("--sets", default="", help="of the scenarios calibration, svm, trees, stumps, logistic, softmax, lpdesign, spoclinear and online: only these, as letter,usps")
    parser.add_argument("--against", default="", help="of the scenarios against and builds: the build folder of another commit")
    parser.add_argument("--out", default=str(BUILD / "bench-results.md"))
    options = parser.parse_args()

    chosen = [n for n in SCENARIOS if not options.names
              or any(part == n or (part in n and part not in SCENARIOS) for part in options.names)]
    if not chosen:
        parser.error("no scenario has such a name; there are " + ", ".join(SCENARIOS))
    rows, failures = [], 0
    for name in chosen:
        print(f"{name}: {SCENARIOS[name].__doc__.strip().splitlines()[0]}", flush=True)
        try:
            made = SCENARIOS[name](options)
        except Failed as problem:
            print(f"  could not run: {problem}", flush=True)
            failures += 1
            continue
        for row in made:
            cells = row.cells()
            print(f"  {cells[0]}, {cells[1]} threads: {cells[2]} against {cells[4]} ({cells[3]}): "
                  f"{cells[5]}  {cells[6]}  {cells[7]}", flush=True)
        rows += made

    report = heading() + [""] + table(rows)
    pathlib.Path(options.out).write_text("\n".join(report) + "\n")
    print("\n" + "\n".join(report))
    print(f"\nThe table is in {options.out}.")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
