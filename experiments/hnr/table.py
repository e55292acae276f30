"""Puts the paper's figures beside ours: reads NAME.json of `polytomy cv --json`, prints markdown."""

import json
import pathlib
import sys

# HNR Table 4, oneLSM, Gaussian kernel: mean, best, worst error in percent over ten partitions.
PAPER = {
    "iris": (2.80, 2.00, 3.33),
    "wine": (0.33, 0.00, 1.11),
    "glass": (27.39, 24.9, 28.7),
    "vowel": (0.60, 0.37, 0.93),
    "yeast": (38.91, 38.1, 39.4),
}


def row(name, result):
    errors = [100 * e for e in result["best"]["errors"]]
    mean, best, worst = sum(errors) / len(errors), min(errors), max(errors)
    per_partition = [
        100 * min(point["errors"][r] for point in result["grid"]) for r in range(len(errors))
    ]
    paper = PAPER[name]
    overlap = best <= paper[2] and worst >= paper[1]
    chosen = result["best"]["parameters"]
    return (
        f"| {name} | {result['data']['n']} | {paper[0]:.2f} [{paper[1]:.2f}, {paper[2]:.2f}] "
        f"| {mean:.2f} [{best:.2f}, {worst:.2f}] | {'yes' if overlap else 'no'} "
        f"| ridge {chosen['ridge']:g}, sigma {chosen['sigma']:g} "
        f"| {sum(per_partition) / len(per_partition):.2f} "
        f"[{min(per_partition):.2f}, {max(per_partition):.2f}] |"
    )


def main():
    folder = pathlib.Path(sys.argv[1])
    print("# oneLSM under the protocol of HNR Table 4")
    print()
    print("Made by `sh experiments/hnr/run.sh`; PLAN.md says what was decided before. Errors in percent: mean")
    print("[best, worst] over ten partitions. The last column takes the best grid point of each partition anew.")
    print()
    print("| set | n | paper | ours | overlap | our grid point | best of each partition |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name in PAPER:
        print(row(name, json.loads((folder / f"{name}.json").read_text())))


if __name__ == "__main__":
    main()
