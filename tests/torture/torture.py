#!/usr/bin/env python3
"""Runs commands of polytomy with a fault at one place after the other, and judges what happens.

    torture.py BUILD/polytomy                 a sample of places: under a minute
    torture.py --all BUILD/polytomy           every machine and command, many places
    torture.py --kind memory --of polytomy BUILD/polytomy train data.csv -o OUT --threads 1
                                              one command; OUT is the file that it writes

A fault is an allocation or a system call that fails, or a SIGKILL at it (fail.c beside this file).
What may happen to a run, where `old` is what stood in place of OUT before:

    refused     exit 1 or 2, and old is still there      survived    exit 0, and the right new file
    killed      by the SIGKILL that was asked for, with the old or the right new file

What may not:

    different   exit 0, and another file                 replaced    exit 1, and old is gone
    damaged     neither old nor new                      signal N, hang
    leak        blocks of ours were held at the end      litter      a file beside OUT that the
                                                                     next run does not remove
"""
import argparse
import collections
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
FINE = {"refused", "survived", "killed"}
ROWS = """height,colour,width,class
1.5,red,2,a
2.5,blue,,b
1.25,red,3,a
2.75,green,1,b
1,red,2.5,a
3,blue,1.5,b
0.5,?,2,c
0.25,green,1,c
0.75,green,1.5,c
"""


class Torture:
    def __init__(self, tool, work):
        self.tool = str(pathlib.Path(tool).resolve())
        self.work = pathlib.Path(work)
        self.folder = self.work / "out"
        self.library = self.work / "fail.so"
        compiler = os.environ.get("CC", "cc")
        subprocess.run([compiler, "-O1", "-shared", "-fPIC", "-o", self.library, HERE / "fail.c",
                        "-ldl"], check=True)
        self.data = self.work / "rows.csv"
        self.data.write_text(ROWS)
        self.stream = self.work / "rows.svm"
        self.stream.write_text("1 1:1 2:0.5\n2 1:-1 3:1\n1 1:2 2:1\n3 4:1\n")
        self.bad = 0

    def run(self, words, at, fault):
        out = self.folder / "out"
        words = [self.tool] + [str(out) if w == "OUT" else str(self.data) if w == "DATA"
                               else str(self.model) if w == "MODEL"
                               else str(self.stream) if w == "STREAM" else w for w in words]
        report = self.work / "report"
        report.unlink(missing_ok=True)
        env = dict(os.environ, LD_PRELOAD=str(self.library), FAIL_AT=str(at),
                   FAIL_REPORT=str(report), **fault)
        try:
            done = subprocess.run(words, env=env, capture_output=True, timeout=120)
        except subprocess.TimeoutExpired:
            return "hang", "", None
        self.told = done.stdout
        numbers = report.read_text().split() if report.exists() else None
        return done.returncode, done.stderr.decode(errors="replace").strip(), numbers

    def fresh(self, old):
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        if old is not None:
            (self.folder / "out").write_bytes(old)

    def now(self):
        out = self.folder / "out"
        return out.read_bytes() if out.exists() else None

    def judge(self, code, numbers, old, new, held, fault, resumes):
        now = self.now()
        if code == "hang":
            return "hang"
        if code == -9 and "FAIL_KILL" in fault:
            # a checkpoint may be anywhere on its way
            return "killed" if now in (old, new) or resumes else "damaged"
        if code < 0 or code > 2:
            return f"signal {-code if code < 0 else code - 128}"
        if fault.get("FAIL_OF") == "polytomy" and numbers and int(numbers[1]) > held:
            return "leak"
        if code == 0:
            return "survived" if now == new else "different"
        if now == old or resumes:
            return "refused"
        return "replaced" if now == new else "damaged"

    def torture(self, words, fault, most):
        """One command, with a fault at up to `most` places."""
        resumes = "--resume" in words
        self.fresh(None)
        code, text, numbers = self.run(words, 0, fault)
        if code != 0 or not numbers:
            print(f"{' '.join(words)}: fails without a fault: {text}")
            self.bad += 1
            return
        new, places, held = self.now(), int(numbers[0]), int(numbers[1])
        old = None if resumes else b"the old file, whole"
        counts, examples = collections.Counter(), {}
        step = max(1, places // most) if most else 1
        for at in range(1, places + 1, step):
            self.fresh(old)
            code, text, numbers = self.run(words, at, fault)
            what = self.judge(code, numbers, old, new, held, fault, resumes)
            if what in FINE and len(list(self.folder.iterdir())) > (self.now() is not None):
                self.run(words, 0, fault)  # the next run tidies up
                if len(list(self.folder.iterdir())) > 1 or self.now() != new:
                    what = "litter"
            elif what in FINE and resumes and what != "survived":
                code, text, _ = self.run(words, 0, fault)  # and goes on where this one ended
                what = what if code == 0 and self.now() == new else "damaged"
            counts[what] += 1
            examples.setdefault(what, f"at {at}: {text[-150:]}")
        kind = " ".join(f"{k[5:].lower()}={v}" for k, v in fault.items())
        print(f"{' '.join(words)} [{kind}]: {places} places; "
              + ", ".join(f"{k} {v}" for k, v in sorted(counts.items())), flush=True)
        for what in sorted(set(counts) - FINE):
            print(f"    {what}: {examples[what]}", flush=True)
            self.bad += counts[what]

    def torture_checkpoint(self):
        """The last writing of a checkpoint fails: the result is told all the same, then exit 1."""
        fault = call("write")
        self.fresh(None)
        _, _, numbers = self.run(RESUMED + ["-q"], 0, fault)
        told = self.told
        self.fresh(None)
        code, text, _ = self.run(RESUMED + ["-q"], int(numbers[0]), fault)
        right = code == 1 and told and self.told == told and "not written" in text
        print(f"{' '.join(RESUMED)} [last write]: {'told, exit 1' if right else 'LOST'}")
        self.bad += not right

    def trained(self):
        self.model = self.work / "model"
        subprocess.run([self.tool, "train", self.data, "-o", self.model, "--quiet", "--sigma", "1",
                        "--ridge", "0.1", "--calibrate", "no"], check=True)


def memory(of=None):
    return {"FAIL_KIND": "memory", **({"FAIL_OF": of} if of else {})}


def call(kind, **more):
    return {"FAIL_KIND": kind, **{f"FAIL_{k.upper()}": str(v) for k, v in more.items()}}


TRAIN = ["train", "DATA", "-o", "OUT", "--threads", "1"]
CLP = TRAIN + ["--machine", "designed", "--norm", "inf", "--learner", "tree", "--calibrate", "no"]
RESUMED = ["cv", "DATA", "--folds", "3", "--machine", "tree", "--resume", "OUT", "--threads", "1"]
SAVES = [call(k) for k in ("write", "fsync", "rename", "open", "close")] + [
    call("write", kill=1), call("fsync", kill=1), call("rename", kill=1), call("close", kill=1),
    call("write", errno=4), call("write", short=1), call("read", short=1)]


def designs_by_clp(t):
    lines = subprocess.run([t.tool, "version"], capture_output=True, text=True, check=True).stdout
    return "linear programs: Clp" in lines  # a build may be without it


def sample(t):
    quick = TRAIN + ["--sigma", "1", "--ridge", "0.1"]
    t.torture(quick, memory("polytomy"), 60)
    t.torture(quick + ["--json"], memory("polytomy"), 30)
    t.torture(["predict", "MODEL", "DATA", "-o", "OUT"], memory("polytomy"), 25)
    for kind in ("fsync", "rename", "close"):
        t.torture(["predict", "MODEL", "DATA", "-o", "OUT"], call(kind, kill=1), 5)
    if designs_by_clp(t):
        t.torture(CLP, memory("stdc++"), 40)  # what Clp asks for by `new`
    for fault in SAVES:
        t.torture(quick, fault, 5)
    t.torture(RESUMED, call("write"), 5)
    t.torture_checkpoint()


def everything(t, places):
    listed = subprocess.run([t.tool, "help", "--json"], capture_output=True, check=True).stdout
    machines = [m["name"] for m in json.loads(listed)["registries"]["machines"]]
    for machine in machines:
        words = TRAIN + ["--machine", machine]
        t.torture(words, memory("polytomy"), places)
    for of in ("Clp", "Coin", "stdc++") if designs_by_clp(t) else ():
        t.torture(CLP, memory(of), places)
    for words in (["predict", "MODEL", "DATA", "-o", "OUT"], ["convert", "DATA", "OUT", "--to", "csv"],
                  ["cv", "DATA", "--folds", "3", "-o", "OUT", "--threads", "1", "--machine", "tree"],
                  ["split", "DATA", "OUT", "/dev/null", "--force"],
                  ["train", "STREAM", "--online", "-o", "OUT"]):
        for fault in [memory("polytomy")] + SAVES:
            t.torture(words, fault, places)
    for fault in SAVES:
        t.torture(RESUMED, fault, places)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--places", type=int, default=200, help="at most so many of each command")
    parser.add_argument("--kind", default="memory")
    parser.add_argument("--of")
    parser.add_argument("--kill", action="store_true")
    parser.add_argument("--data", help="in place of the few rows of its own")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    a = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        t = Torture(a.tool, work)
        if a.data:
            t.data = pathlib.Path(a.data).resolve()
        t.trained()
        if a.command:
            words = a.command[1:] if a.command[0] == "--" else a.command
            fault = memory(a.of) if a.kind == "memory" else call(a.kind)
            t.torture(words, {**fault, **({"FAIL_KILL": "1"} if a.kill else {})}, a.places)
        elif a.all:
            everything(t, a.places)
        else:
            sample(t)
    if t.bad:
        print(f"{t.bad} runs ended as none may")
    return 1 if t.bad else 0


if __name__ == "__main__":
    sys.exit(main())
