#!/bin/sh
# 10,000 rows of MNIST, one against all and all pairs, in 200 MB: the kernel values do not fit (400 MB as one matrix), the answers
# are those of a machine that has all the memory, and the process stays near what was given.
set -eu
tool=$1
data=${POLYTOMY_DATA:-}
[ -f "$data/mnist/train.csv.gz" ] || { echo "skipped: POLYTOMY_DATA has no mnist"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
gzip -dc "$data/mnist/train.csv.gz" | head -n 10001 >train.csv
gzip -dc "$data/mnist/test.csv.gz" | head -n 2001 >test.csv

# peak COMMAND...: runs it and prints the most memory that it had, in MB.
peak() {
    python3 -c 'import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)' "$@"
}

for code in ova ovo; do
    options="--code $code --C 10 --rbf-gamma 0.005 --scale range --calibrate no -q"
    # shellcheck disable=SC2086 # options are words
    "$tool" train train.csv -o roomy $options
    # shellcheck disable=SC2086
    most=$(peak "$tool" train train.csv -o narrow $options --memory 200M | tail -n 1)
    "$tool" predict roomy test.csv -q >roomy.labels
    "$tool" predict narrow test.csv -q >narrow.labels
    differ=$(paste roomy.labels narrow.labels | awk '$1 != $2' | wc -l)
    echo "$code: $differ of 2000 labels differ, $most MB at most"
    [ "$differ" -le 1 ]
    [ "$most" -le 330 ] # 200, and the data as they were read (63) and prepared (31)
done
