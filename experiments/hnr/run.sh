#!/bin/sh
# oneLSM under the protocol of HNR Table 4: see PLAN.md. Needs POLYTOMY_DATA and the built tool.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
tool=${POLYTOMY:-$top/build/polytomy}
: "${POLYTOMY_DATA:?name the folder of the data sets in POLYTOMY_DATA}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for set in iris wine glass vowel yeast; do
    echo "$set" >&2
    "$tool" cv "$POLYTOMY_DATA/$set/train.csv.gz" --machine onelsm --kernel rbf --scale range \
        --grid ridge=2^-4:2^4,sigma=2^-4:2^4 --folds 10 --repeat 10 --seed 1 --json \
        >"$work/$set.json"
done
python3 "$here/table.py" "$work" >"$here/RESULTS.md"
cat "$here/RESULTS.md"
