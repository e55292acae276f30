#!/bin/sh
# Tables with nominal and missing cells train from the raw files: audiology, soybean (with numbers that are names: --nominal all)
# and thyroid, by boosting in one call, boosting of each column, and a tree. Boosting errs no more than the worst figure of ASS Table 2
# for the set (any code, any decoding) and two standard errors; a tree no more than one and a half times that. On each set, saying always
# the most frequent class of the training rows errs more than that.
set -eu
tool=$1
data=${POLYTOMY_DATA:-}
[ -f "$data/audiology/train.csv.gz" ] || { echo "skipped: POLYTOMY_DATA has no audiology"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

error_of() { # reads what eval or cv says
    sed -n 's/.*error[: ]*\([0-9.]*\) %.*/\1/p' | head -n 1
}

at_most() { # WHAT ERROR BOUND
    echo "$1: error $2 %, bound $3"
    awk -v error="$2" -v bound="$3" 'BEGIN {exit !(error != "" && error + 0 <= bound + 0)}'
}

# three TRAIN TEST BOUND OPTION...: the three machines.
three() {
    train=$1 test=$2 bound=$3
    shift 3
    for machine in '--machine adaboost-mo' '--code ova --learner adaboost' '--machine tree'; do
        limit=$bound
        [ "$machine" != '--machine tree' ] || limit=$(awk -v bound="$bound" 'BEGIN {print 1.5 * bound}')
        # shellcheck disable=SC2086 # options are words
        "$tool" train "$train" -o model -q $machine "$@"
        at_most "$train $machine" "$("$tool" eval model "$test" -q "$@" | error_of)" "$limit"
    done
}

# parts FILE TRAIN TEST: every tenth row of a file without a test file becomes one.
parts() {
    gzip -dc "$1" | awk -v train="$2" -v test="$3" '
        NR == 1 || NR % 10 != 0 {print >train}
        NR == 1 || NR % 10 == 0 {print >test}'
}

for name in audiology soybean; do
    ln -s "$data/$name/train.csv.gz" $name.csv.gz
    ln -s "$data/$name/test.csv.gz" $name-test.csv.gz
done
ln -s "$data/soybean/train-named.csv.gz" named.csv.gz
ln -s "$data/soybean/test-named.csv.gz" named-test.csv.gz
parts "$data/thyroid0387/train-firstletter.csv.gz" thyroid.csv thyroid-test.csv

three audiology.csv.gz audiology-test.csv.gz 44
three soybean.csv.gz soybean-test.csv.gz 12 --nominal all
three named.csv.gz named-test.csv.gz 12
three thyroid.csv thyroid-test.csv 14.5
