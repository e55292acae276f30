#!/usr/bin/python3
"""Makes the embedded data sets of data/ from Debian's python3-sklearn.

    scripts/make_data.py            writes data/iris.csv, data/wine.csv, data/digits.csv
    scripts/make_data.py --check    compares them with what would be written; exit 1 if they differ

Where Rscript (r-base-core) is there, iris is compared with R's copy, too. data/README.md names the
sources.
"""

import io
import pathlib
import subprocess
import shutil
import sys

from sklearn import datasets

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "data"


def number(value):
    """The shortest text that reads as the same double, without a trailing .0."""
    text = repr(float(value))
    return text[:-2] if text.endswith(".0") else text


def csv_text(names, rows, labels):
    """A header, one line per example, the label in the last column `class`."""
    out = io.StringIO()
    print(*names, "class", sep=",", file=out)
    for row, label in zip(rows, labels):
        print(*map(number, row), label, sep=",", file=out)
    return out.getvalue()


def check_iris_with_r(data):
    """R's iris must be the same 150 flowers."""
    if not shutil.which("Rscript"):
        print("iris: Rscript is not there, not compared with R")
        return
    code = "write.table(iris[,1:4], col.names=FALSE, row.names=FALSE)"
    text = subprocess.run(["Rscript", "-e", code], check=True, capture_output=True, text=True).stdout
    rows = [[float(cell) for cell in line.split()] for line in text.splitlines()]
    if rows != data.data.tolist():
        sys.exit("iris: scikit-learn's copy differs from R's")
    print("iris: the same as R's")


def iris():
    data = datasets.load_iris()
    check_iris_with_r(data)
    names = ["sepal_length", "sepal_width", "petal_length", "petal_width"]
    return csv_text(names, data.data, [data.target_names[t] for t in data.target])


def wine():
    data = datasets.load_wine()
    return csv_text(data.feature_names, data.data, [f"cultivar_{t + 1}" for t in data.target])


def digits():
    data = datasets.load_digits()
    names = [f"p{row}{column}" for row in range(8) for column in range(8)]
    return csv_text(names, data.data, data.target)


def main():
    check = sys.argv[1:] == ["--check"]
    if sys.argv[1:] and not check:
        sys.exit(__doc__)
    wrong = 0
    for make in (iris, wine, digits):
        path = FOLDER / f"{make.__name__}.csv"
        text = make()
        if check:
            same = path.exists() and path.read_text() == text
            print(f"{path.name}: {'as it should be' if same else 'differs'}")
            wrong += not same
        else:
            path.write_text(text)
            print(f"{path.name}: {len(text)} bytes")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
