"""The letter and USPS samples of HNR Table 6: prepare.py DATA OUT writes OUT/letter2000-1.csv and so on.

A sample is the n rows with the smallest of the random keys that the sample's number seeds, out of training and test
part together, in the order of the files; so the sample of 1000 is part of the sample of 2000. USPS images of 16x16 pixels
become 8x8 by the mean of each block of 2x2; in usps1000thin-1.csv and so on, by leaving out every second row and column.
"""

import csv
import gzip
import pathlib
import random
import sys

SAMPLES = range(1, 6)
SIDE = 16


def read(folder):
    """The names of the columns and the rows of both parts."""
    rows = []
    for part in ("train", "test"):
        with gzip.open(folder / f"{part}.csv.gz", "rt", newline="") as file:
            names, *more = csv.reader(file)
        rows += more
    return names, rows


def blocks(row):
    """For 256 pixels, row by row, and a label: the four pixels of each block of 2x2."""
    pixels = [float(v) for v in row[:-1]]
    assert len(pixels) == SIDE * SIDE
    corners = [SIDE * y + x for y in range(0, SIDE, 2) for x in range(0, SIDE, 2)]
    return [[pixels[c + step] for step in (0, 1, SIDE, SIDE + 1)] for c in corners]


def averaged(row):
    return [f"{sum(block) / 4:.6g}" for block in blocks(row)] + [row[-1]]


def thinned(row):
    return [f"{block[0]:.6g}" for block in blocks(row)] + [row[-1]]


def sample(rows, n, number):
    draw = random.Random(number)
    keys = [draw.random() for _ in rows]
    chosen = sorted(range(len(rows)), key=keys.__getitem__)[:n]
    return [rows[i] for i in sorted(chosen)]


def write(path, names, rows):
    with open(path, "w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(names)
        out.writerows(rows)


def main():
    data, out = map(pathlib.Path, sys.argv[1:])
    out.mkdir(parents=True, exist_ok=True)
    names, letters = read(data / "letter")
    for number in SAMPLES:
        write(out / f"letter2000-{number}.csv", names, sample(letters, 2000, number))

    names, digits = read(data / "usps")
    assert names[-1] == "class"
    names = [f"p{i}" for i in range(1, SIDE * SIDE // 4 + 1)] + ["class"]
    for number in SAMPLES:
        for n in (1000, 2000):
            rows = sample(digits, n, number)
            write(out / f"usps{n}-{number}.csv", names, [averaged(row) for row in rows])
            write(out / f"usps{n}thin-{number}.csv", names, [thinned(row) for row in rows])


if __name__ == "__main__":
    main()
