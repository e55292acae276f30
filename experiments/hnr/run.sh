#!/bin/sh
# The tables of HNR: sh run.sh [table4] [table5] [table6] [ftest] [times] [open]; all parts if none is named.
# Needs POLYTOMY_DATA and the built tool (POLYTOMY names another). PLAN.md says what is done and why. What is
# done lies in build/hnr (HNR_WORK names another folder), one JSON file a run, and is not done again.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
tool=${POLYTOMY:-$top/build/polytomy}
work=${HNR_WORK:-$top/build/hnr}
: "${POLYTOMY_DATA:?name the folder of the data sets in POLYTOMY_DATA}"

GAMMAS=2^-4:2^4
BOOKS='pm1 indicator alignment consistency mincorr'
SETS='iris wine glass vowel yeast'

# what MACHINE BOOK: the options that train it. gamma is a ridge or one over it (PLAN.md).
what() {
    case $1 in
    vo-lssvm | vo-svm) echo "--machine $1 --labelbook $2 --grid C=$GAMMAS,sigma=$GAMMAS" ;;
    szedmak) what vo-svm "$2" | sed 's/$/ --bias/' ;;
    szedmak-mean) what vo-svm "$2" | sed 's/$/ --bias --bias-rule mean/' ;;
    penalised) what vo-svm "$2" | sed 's/$/ --bias --bias-rule penalised/' ;;
    vo-rls | vo-rls-f | onelsm) echo "--machine $1 --labelbook $2 --grid ridge=$GAMMAS,sigma=$GAMMAS" ;;
    *) echo "--machine $1 --grid ridge=$GAMMAS,sigma=$GAMMAS" ;;
    esac
}

data_of() {
    case $1 in
    *-*) echo "$work/data/$1.csv" ;;
    *) echo "$POLYTOMY_DATA/$1/train.csv.gz" ;;
    esac
}

scale_of() {
    case $1 in usps*) echo none ;; *) echo range ;; esac
}

# cv RESULT SET OPTION...: runs once, resumes after an interruption. A machine that refuses its
# labelbook has an error for a result; the table says so.
cv() {
    result=$work/$1.json set=$2
    shift 2
    [ -s "$result" ] && return
    mkdir -p "$(dirname "$result")"
    echo "${result#"$work"/}" >&2
    status=0
    # shellcheck disable=SC2046 # options are words
    "$tool" cv "$(data_of "$set")" --kernel rbf --scale "$(scale_of "$set")" --folds 10 --seed 1 \
        --json -q "$@" >"$result.part" || status=$?
    [ $status -le 1 ] || exit $status
    mv "$result.part" "$result"
}

# one RESULT SET MACHINE BOOK OPTION...
one() {
    result=$1 set=$2 machine=$3 book=$4
    shift 4
    # shellcheck disable=SC2046 # options are words
    cv "$result" "$set" $(what "$machine" "$book") "$@"
}

# How many of the ten partitions: all in closed form, else what takes about a minute (PLAN.md).
repeats() {
    case $1-$2 in
    *-onelsm | *-vo-lssvm) echo 10 ;;
    yeast-*) echo 1 ;;
    vowel-*) echo 3 ;;
    *) echo 10 ;;
    esac
}

part_table4() {
    for set in $SETS; do
        one "table4/$set.onelsm.any" "$set" onelsm pm1 --repeat 10
        for machine in vo-lssvm vo-rls vo-rls-f vo-svm szedmak szedmak-mean penalised; do
            for book in $BOOKS; do
                one "table4/$set.$machine.$book" "$set" "$machine" "$book" \
                    --repeat "$(repeats "$set" "$machine")"
            done
        done
        for machine in ls-ova ls-ovo suykens; do
            one "table4/$set.$machine.pm1" "$set" "$machine" pm1 --repeat "$(repeats "$set" "$machine")"
        done
    done
}

part_table5() {
    for set in $SETS; do
        for machine in ls-ova ls-ovo onelsm vo-lssvm vo-rls vo-svm; do
            one "table5/$set.$machine.pm1" "$set" "$machine" pm1
        done
    done
}

samples() {
    [ -s "$work/data/usps2000-5.csv" ] || python3 "$here/prepare.py" "$POLYTOMY_DATA" "$work/data"
}

part_table6() {
    samples
    for set in usps1000 usps2000 letter2000; do
        for i in 1 2 3 4 5; do
            one "table6/$set-$i.onelsm.any" "$set-$i" onelsm pm1
        done
    done
}

part_times() {
    samples
    for machine in onelsm ls-ova ls-ovo; do
        one "times/letter2000-1.$machine.pm1" letter2000-1 "$machine" pm1
    done
}

part_open() {
    samples
    for set in $SETS; do
        one "open/$set.unstratified" "$set" onelsm pm1 --repeat 10 --stratify no
        one "open/$set.per-fold" "$set" onelsm pm1 --repeat 1 --scale-per-fold
    done
}

[ $# -gt 0 ] || set -- table4 table5 table6 ftest times open
for part in "$@"; do
    case $part in
    table4 | table5 | table6 | ftest | times | open) "part_$part" ;;
    *)
        echo "$part is not a part: table4 table5 table6 ftest times open" >&2
        exit 2
        ;;
    esac
done
python3 "$here/table.py" "$work" >"$here/RESULTS.md"
