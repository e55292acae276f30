#!/usr/bin/env python3
"""Runs commands of polytomy on files that need much more than --memory allows, and looks at the
peak of each: at most the limit and 64 MB, whether the work is done or refused.

    peak.py BUILD/polytomy [--threads N]
"""
import argparse
import gzip
import os
import pathlib
import subprocess
import sys
import tempfile

BESIDE = 64  # MB: the program itself, its libraries, buffers that do not grow with the data
MODEL = ["train", "few.csv", "-o", "few.model", "-q", "--machine", "tree", "--calibrate", "no"]


def peak(words, folder):
    """Peak in MB, exit code and what was said."""
    with open(folder / "said", "w+", encoding="utf-8", errors="replace") as said:
        process = subprocess.Popen(words, cwd=folder, stdout=subprocess.DEVNULL, stderr=said)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        return used.ru_maxrss / 1024, process.returncode, said.read().strip()


def write_files(folder):
    with open(folder / "few.csv", "w", encoding="ascii") as file:
        file.write("x,y,class\n")
        file.writelines(f"{i % 7},{i % 11},{'ab'[i % 2]}\n" for i in range(100))
    with open(folder / "many.csv", "w", encoding="ascii") as file:
        file.write("x,y,class\n")
        file.writelines(f"{i % 7},{i % 11},{'ab'[i % 2]}\n" for i in range(400000))
    with gzip.open(folder / "names.csv.gz", "wt", compresslevel=1, encoding="ascii") as file:
        file.write("name,class\n")
        file.writelines(f"u{i},{'ab'[i % 2]}\n" for i in range(1500000))
    with open(folder / "strangers.csv", "w", encoding="ascii") as file:
        file.write("x,y,class\n")  # classes that the model does not know
        file.writelines(f"{i % 7},{i % 11},k{i}\n" for i in range(6000))


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool")
    parser.add_argument("--threads", default="2")
    a = parser.parse_args()
    tool = str(pathlib.Path(a.tool).resolve())
    # the limit in MB, the command, and whether the work can be done
    cases = [(90, ["info", "names.csv.gz"], False),
             (90, ["train", "names.csv.gz", "-o", "m", "--machine", "tree"], False),
             (90, ["cv", "names.csv.gz", "--machine", "tree"], False),
             (20, ["predict", "few.model", "names.csv.gz"], False),
             (20, ["eval", "few.model", "names.csv.gz"], False),
             (20, ["predict", "few.model", "many.csv", "--json", "--proba"], True),
             (10, ["eval", "few.model", "many.csv"], True),
             (20, ["train", "many.csv", "-o", "m", "--machine", "tree"], False),
             (60, ["eval", "few.model", "strangers.csv"], True)]
    bad = 0
    with tempfile.TemporaryDirectory() as work:
        folder = pathlib.Path(work)
        write_files(folder)
        subprocess.run([tool] + MODEL, cwd=folder, check=True)
        for limit, words, done in cases:
            most, code, said = peak([tool] + words + ["--memory", f"{limit}M", "--threads",
                                                      a.threads], folder)
            fine = most <= limit + BESIDE and code == (0 if done else 1)
            print(f"{' '.join(words)} at {limit} MB: peak {most:.0f} MB, exit {code}"
                  f"{'' if fine else '  TOO MUCH' if code == (not done) else '  WRONG: ' + said}")
            bad += not fine
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
