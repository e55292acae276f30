#!/bin/sh
# Support vector machines as LIBSVM has them: on five sets both train with the same parameters, and of the test rows at most
# one in a thousand gets another label (rows whose pair outputs are within the tolerance of 0).
set -eu
tool=$1
data=${POLYTOMY_DATA:-}
[ -f "$data/letter/train.csv.gz" ] || { echo "skipped: POLYTOMY_DATA has no letter"; exit 77; }
command -v svm-train >/dev/null || { echo "skipped: svm-train is not installed"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# numbered IN OUT: LIBSVM text whose labels, names here, are numbers from 1 in the order of names.txt.
numbered() {
    awk 'NR == FNR {number[$1] = FNR; next} {$1 = number[$1]; print}' names.txt "$1" >"$2"
}

# both SET C GAMMA
both() {
    for part in train test; do
        "$tool" convert "$data/$1/$part.csv.gz" "$part.raw" --to libsvm -q
    done
    cut -d' ' -f1 train.raw | LC_ALL=C sort -u >names.txt
    for part in train test; do
        numbered "$part.raw" "$part.numbered"
    done
    svm-scale -s range train.numbered >train.svm 2>/dev/null
    svm-scale -r range test.numbered >test.svm 2>/dev/null
    svm-train -q -c "$2" -g "$3" -m 2000 train.svm theirs.model
    "$tool" svm-train -q -c "$2" -g "$3" train.svm ours.model
    svm-predict -q test.svm theirs.model theirs.labels
    "$tool" svm-predict test.svm ours.model ours.labels >/dev/null
    differ=$(paste ours.labels theirs.labels | awk '$1 != $2' | wc -l)
    rows=$(wc -l <test.svm)
    echo "$1: $differ of $rows labels differ"
    [ "$differ" -le $((rows / 1000)) ]
}

both letter 16 2
both pendigits 16 0.5
both satimage 16 1
both usps 10 0.0078
both isolet 16 0.002
