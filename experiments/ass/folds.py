"""Training, test and held-out files of Table 2 of ASS: python3 folds.py DATA OUT

Writes OUT/SET/FOLD.train.csv and FOLD.test.csv, and out of the training rows FOLD.grow.csv and FOLD.hold.csv, on which the
number of rounds is chosen. Sets with a test file of their own have the one fold 0, the others the folds 1 to 10. All are CSV with a
header; rows stay in the order of the source.

Folds are equal: n mod 10 rows are in none (but in every training file). Rows that are the only one of their class are among
those first; the others are drawn. Rows of a class are dealt to the folds in turn. Held out is every fifth row of each class.
"""

import collections
import csv
import gzip
import pathlib
import random
import sys

FOLDS = 10
HELD_OUT = 5  # one row in so many
SEED = 1
# set: the files that train, the file that tests (None: folds)
SOURCES = {
    "dermatology": (["dermatology/train"], None),
    "satimage": (["satimage/train"], "satimage/test"),
    "glass": (["glass/train"], None),
    "segmentation": (["segmentation/train", "segmentation/test"], None),
    "ecoli": (["ecoli/train"], None),
    "pendigits": (["pendigits/train"], "pendigits/test"),
    "yeast": (["yeast/train"], None),
    "vowel": (["vowel/train"], "vowel/test"),
    "soybean": (["soybean/train-named"], "soybean/test-named"),
    "thyroid": (["thyroid0387/train-firstletter"], None),
    "audiology": (["audiology/train"], "audiology/test"),
    "isolet": (["isolet/train"], "isolet/test"),
    "letter": (["letter/train"], "letter/test"),
}


def read(data, names):
    """The header, the same in all files, and the rows."""
    header, rows = None, []
    for name in names:
        with gzip.open(data / f"{name}.csv.gz", "rt", newline="") as file:
            this_header, *more = csv.reader(file)
        assert header in (None, this_header)
        header = this_header
        rows += more
    assert header[-1] == "class"
    return header, rows


def shuffled_by_class(rows, numbers):
    """Of each class, in the order of names, its numbers in random order."""
    numbers = list(numbers)
    random.Random(SEED).shuffle(numbers)
    by_class = collections.defaultdict(list)
    for number in numbers:
        by_class[rows[number][-1]].append(number)
    return [by_class[name] for name in sorted(by_class)]


def untested(rows):
    """len(rows) mod FOLDS numbers: first those whose class has no other row."""
    count = collections.Counter(row[-1] for row in rows)
    numbers = list(range(len(rows)))
    random.Random(SEED).shuffle(numbers)
    numbers.sort(key=lambda number: count[rows[number][-1]] > 1)
    return set(numbers[:len(rows) % FOLDS])


def test_folds(rows):
    left_out = untested(rows)
    tested = [number for number in range(len(rows)) if number not in left_out]
    dealt = [number for members in shuffled_by_class(rows, tested) for number in members]
    return [set(dealt[fold::FOLDS]) for fold in range(FOLDS)]


def held_out(rows, numbers):
    return {number for members in shuffled_by_class(rows, numbers) for number in members[HELD_OUT - 1::HELD_OUT]}


def write(path, header, rows):
    with open(path, "w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(header)
        out.writerows(rows)


def write_fold(folder, fold, header, rows, train, test_rows):
    """train: the numbers of the rows that train."""
    hold = held_out(rows, train)
    write(folder / f"{fold}.train.csv", header, [rows[i] for i in sorted(train)])
    write(folder / f"{fold}.test.csv", header, test_rows)
    write(folder / f"{fold}.grow.csv", header, [rows[i] for i in sorted(train) if i not in hold])
    write(folder / f"{fold}.hold.csv", header, [rows[i] for i in sorted(hold)])


def main():
    data, out = map(pathlib.Path, sys.argv[1:])
    for name, (train_files, test_file) in SOURCES.items():
        folder = out / name
        folder.mkdir(parents=True, exist_ok=True)
        header, rows = read(data, train_files)
        everything = range(len(rows))
        if test_file:
            write_fold(folder, 0, header, rows, everything, read(data, [test_file])[1])
            continue
        for fold, test in enumerate(test_folds(rows), start=1):
            write_fold(folder, fold, header, rows, [i for i in everything if i not in test],
                       [rows[i] for i in sorted(test)])


if __name__ == "__main__":
    main()
