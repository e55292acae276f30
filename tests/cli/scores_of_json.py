"""Scores computed again from `polytomy info MODEL --json --all` alone, by docs/model-file.md.

    scores_of_json.py MODEL.json DATA.csv SCORES.csv

Prints "close" where all are, up to float32, else the largest distance as a share of their spread. Standard
library only; columns of numbers, the label last.
"""
import csv
import json
import math
import struct
import sys

FILL, CENTER, FACTOR = range(3)
MISSING_KEEP = 4


def single(x):
    """x rounded to float32, as prepared rows are."""
    return struct.unpack("f", struct.pack("f", x))[0]


def prepared(arrays, rows):
    d = arrays["n_features"]
    number = arrays["p.numbers"]
    fill, center, factor = (number[part * d:(part + 1) * d] for part in (FILL, CENTER, FACTOR))
    missing = arrays["p.head"][5]
    assert all(levels == -1 for levels in arrays["p.fields"][d:2 * d])  # columns of numbers alone
    for row in rows:
        yield [single(((x if not math.isnan(x) or missing == MISSING_KEEP else fill[j]) - center[j])
                      * factor[j]) for j, x in enumerate(row)]


def kernel(parameters, x, z):
    if parameters["kernel"] == "linear":
        return sum(a * b for a, b in zip(x, z))
    distance = sum((a - b) ** 2 for a, b in zip(x, z))
    return math.exp(-distance / (2 * float(parameters["sigma"]) ** 2))


def expansion(arrays, parameters, x):
    """Outputs of coef, rows (absent: linear) and bias."""
    kappa = [kernel(parameters, x, z) for z in arrays["m.rows"]] if "m.rows" in arrays else x
    coef = arrays["m.coef"]
    if "m.column" in arrays:
        f = [0.0] * len(arrays["classes"])
        for value, column, k in zip(coef[0], arrays["m.column"], kappa):
            f[column] += value * k
    else:
        f = [sum(a * k for a, k in zip(row, kappa)) for row in coef]
    bias = arrays.get("m.bias", [0.0] * len(f))
    return [a + b for a, b in zip(f, bias)]


def all_pairs(arrays, parameters, x):
    """Outputs of coefficients that lie class by class, each block column-major."""
    first, k = arrays["m.class_first"], len(arrays["classes"])
    flat = [value for row in arrays["m.coef"] for value in row]
    kappa = [kernel(parameters, x, z) for z in arrays["m.rows"]]

    def part(c, other):
        begin, n = first[c], first[c + 1] - first[c]
        at = begin * (k - 1) + n * (other - (other > c))
        return sum(a * b for a, b in zip(flat[at:at + n], kappa[begin:begin + n]))

    f = [part(p, q) + part(q, p) for p in range(k) for q in range(p + 1, k)]
    return [a + b for a, b in zip(f, arrays["m.pair_bias"])]


def trees(arrays, x):
    """The leaf's values, added up over trees."""
    leaves = arrays["m.leaves"]
    sums = [0.0] * len(leaves[0])
    for at in arrays["m.roots"]:
        while at >= len(leaves):
            node = at - len(leaves)
            value = x[arrays["m.features"][node]]
            way = 2 if math.isnan(value) else 0 if value <= single(arrays["m.cuts"][node]) else 1
            at = arrays["m.branches"][3 * node + way]
        sums = [a + b for a, b in zip(sums, leaves[at])]
    return sums


def hinge(code, f):
    """Gains L(-f) - L(f) of the columns that a class takes part in, up to what all classes share."""
    return [-sum(max(0.0, 1 - sign * out) for sign, out in zip(signs, f)) for signs in code]


def scores(model, x):
    arrays, parameters = model["arrays"], model["metadata"]["parameters"]
    if model["machine"] == "tree":
        return trees(arrays, x)
    if model["machine"] == "onelsm":
        return [arrays["label_factor"] * f for f in expansion(arrays, parameters, x)]
    if model["machine"] == "code" and "m.class_first" in arrays:
        return hinge(arrays["code"], all_pairs(arrays, parameters, x))
    return expansion(arrays, parameters, x)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        model = json.load(file)
    with open(sys.argv[2], encoding="utf-8") as file:
        rows = [[float(x) if x else math.nan for x in row[:-1]] for row in list(csv.reader(file))[1:]]
    with open(sys.argv[3], encoding="utf-8") as file:
        expected = [[float(x) for x in row] for row in list(csv.reader(file))[1:]]
    worst, low, high = 0.0, math.inf, -math.inf
    for x, want in zip(prepared(model["arrays"], rows), expected):
        got = scores(model, x)
        shift = sum(g - w for g, w in zip(got, want)) / len(want)  # a constant of a row is free
        assert max(range(len(got)), key=got.__getitem__) == max(range(len(want)),
                                                                key=want.__getitem__)
        worst = max([worst] + [abs(g - w - shift) for g, w in zip(got, want)])
        low, high = min([low] + want), max([high] + want)
    assert len(expected) == len(rows) > 100
    print("close" if worst <= 2e-4 * (high - low) else worst / (high - low))


main()
