#!/bin/sh
# The machines of Crammer-Singer and Weston-Watkins on real data.
# (1) The dual value of spoc is that of kernlab's spoc-svc, and that of ww the one of its kbb-svc, to 1e-4.
# (2) The primal value of spoc with the linear kernel is that of LIBLINEAR -s 4 without its bias, to 1e-4.
# (3) Test errors of spoc, kernel and C chosen by cross-validation on training rows alone, are at most what they should be.
set -eu
tool=$1
here=$(cd "$(dirname "$0")" && pwd)
data=${POLYTOMY_DATA:-}
[ -f "$data/letter/train.csv.gz" ] || { echo "skipped: POLYTOMY_DATA has no letter"; exit 77; }
Rscript -e 'library(kernlab)' >/dev/null 2>&1 || { echo "skipped: R with kernlab is not installed"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# value OPTIONS: the dual value that we come to on sample.csv
value() {
    "$tool" train sample.csv -o sample.model --header no --scale none --calibrate no -q "$@"
    "$tool" info sample.model | sed -n 's/^dual: //p'
}

# agree WHAT OURS THEIRS
agree() {
    echo "$1: value $2, theirs $3"
    awk -v a="$2" -v b="$3" 'BEGIN {d = (a - b) / b; exit !(d < 1e-4 && d > -1e-4)}'
}

# rows SET EVERY: a training row in so many, after the header
rows() {
    gzip -dc "$data/$1/train.csv.gz" | awk -v every="$2" 'NR == 1 || NR % every == 0'
}

# rbf SET EVERY GAMMA C
rbf() {
    rows "$1" "$2" | tail -n +2 >sample.csv
    theirs=$(Rscript "$here/kernlab.R" sample.csv spoc-svc "$3" "$4")
    agree "spoc, $1" "$(value --machine spoc --kernel rbf --rbf-gamma "$3" --C "$4" --gap 1e-5)" "$theirs"
}

rbf letter 5 0.0356 16
rbf pendigits 1 0.0002 16
rows satimage 5 | awk -F, 'NR > 1 {for (j = 1; j < NF; j++) printf "%.4f,", $j / 100; print $NF}' >sample.csv
agree "ww, satimage" "$(value --machine ww --kernel poly --degree 1 --coef0 1 --sigma 1 --C 0.1 --gap 1e-5)" \
    "$(Rscript "$here/kernlab.R" sample.csv kbb-svc 0 0.1)"

# linear SET EVERY C: primal values, LIBLINEAR's by scikit-learn
linear() {
    rows "$1" "$2" | awk -F, 'NR > 1 {for (j = 1; j < NF; j++) printf "%.4f,", $j / 100; print $NF}' >sample.csv
    ours=$(value --machine spoc --kernel linear --C "$3" --gap 1e-6)
    theirs=$(/usr/bin/python3 "$here/liblinear_cs.py" sample.csv "$3")
    agree "spoc, linear, $1 (LIBLINEAR)" "$ours" "$theirs"
}

if /usr/bin/python3 -c 'import sklearn' 2>/dev/null; then
    linear letter 5 1
    linear pendigits 1 1
    linear satimage 1 0.1
else
    echo "left out: scikit-learn, whose LinearSVC is LIBLINEAR, is not installed"
fi

# error SET EVERY GRID MOST: chosen on one in EVERY of the training rows, trained on all of them
error() {
    rows "$1" "$2" >some.csv
    best=$("$tool" cv some.csv --machine spoc --kernel rbf --folds 5 --grid "$3" -q |
        sed -n 's/^best: C \(.*\), rbf-gamma \(.*\): .*/--C \1 --rbf-gamma \2/p')
    # shellcheck disable=SC2086 # options
    "$tool" train "$data/$1/train.csv.gz" -o spoc.model --machine spoc --kernel rbf $best --calibrate no -q
    reached=$("$tool" eval spoc.model "$data/$1/test.csv.gz" | sed -n 's/^error: *\([0-9.]*\) %.*/\1/p')
    echo "$1: $best: test error $reached %, at most $4"
    awk -v a="$reached" -v b="$4" 'BEGIN {exit !(a <= b)}'
}

error letter 4 "C=2,8,32,rbf-gamma=1,2,4" 2.6
error usps 2 "C=2,8,32,rbf-gamma=0.004,0.008,0.016" 4.7
error satimage 1 "C=1,2,4,8,rbf-gamma=1,2,4" 8.8
