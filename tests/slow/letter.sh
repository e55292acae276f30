#!/bin/sh
# letter: a machine whose parameters are chosen on training data alone errs on at most 2.5 percent of the
# test rows, on average over three samples that they are chosen on (KernelRidge on one-hot targets at the
# parameters that are best on the test rows: 2.20). Of five samples: 2.45, 2.25, 2.67, 2.33, 2.57.
set -eu
tool=$1
data=${POLYTOMY_DATA:-}
[ -f "$data/letter/train.csv.gz" ] || { echo "skipped: POLYTOMY_DATA has no letter"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for seed in 1 2 3; do
    "$tool" train "$data/letter/train.csv.gz" -o "$work/model" --calibrate no --seed $seed
    "$tool" eval "$work/model" "$data/letter/test.csv.gz" | sed -n 2p | tee -a "$work/errors"
done
sed -n 's/^error: \([0-9.]*\) %.*/\1/p' "$work/errors" |
    awk '{sum += $1} END {print "mean: " sum / NR " %"; exit !(NR == 3 && sum / NR <= 2.5)}'
