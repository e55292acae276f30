#!/bin/sh
# All of MNIST: 60000 rows in float32, parameters from 10000 training rows, trained within 10 GB, test error at
# most 1.4 percent. About ten minutes on two cores.
set -eu
tool=$1
data=${POLYTOMY_DATA:-}
[ -f "$data/mnist/train.csv.gz" ] || { echo "skipped: POLYTOMY_DATA has no mnist"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Every sixth row. Pixels are all of one kind, so they are not scaled column by column.
gzip -dc "$data/mnist/train.csv.gz" | awk 'NR == 1 || NR % 6 == 2' >"$work/sample.csv"
"$tool" cv "$work/sample.csv" --kernel rbf --scale none --folds 5 \
    --grid sigma=800,1130,1600,ridge=2^-7,2^-5,2^-3 | tee "$work/cv"
ridge=$(sed -n 's/^best:.*ridge \([^,:]*\).*/\1/p' "$work/cv")
sigma=$(sed -n 's/^best:.*sigma \([^,:]*\).*/\1/p' "$work/cv")

# The most memory that the child ever held, in kB.
python3 -c 'import resource, subprocess, sys
code = subprocess.call(sys.argv[2:])
open(sys.argv[1], "w").write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))
sys.exit(code)' "$work/peak" "$tool" train "$data/mnist/train.csv.gz" \
    --kernel rbf --scale none --sigma "$sigma" --ridge "$ridge" --memory 10G -o "$work/model"
echo "peak: $(cat "$work/peak") kB"
"$tool" eval "$work/model" "$data/mnist/test.csv.gz" | tee "$work/eval" | sed -n 2p
sed -n 's/^error: \([0-9.]*\) %.*/\1/p' "$work/eval" | awk '{exit !($1 <= 1.4)}'
awk '{exit !($1 <= 10e6)}' "$work/peak"
