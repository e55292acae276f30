#!/bin/sh
# The tables of HNR: sh run.sh [table4] [table5] [table6] [ftest] [times] [open] [naive]; all parts but the last if
# none is named.
# Needs POLYTOMY_DATA and the built tool (POLYTOMY names another). PLAN.md says what is done and why. What is
# done lies in build/hnr (HNR_WORK names another folder), one JSON file a run, and is not done again. HNR_SETS='iris wine'
# keeps Tables 4 and 5 to these sets.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
tool=${POLYTOMY:-$top/build/polytomy}
work=${HNR_WORK:-$top/build/hnr}
: "${POLYTOMY_DATA:?name the folder of the data sets in POLYTOMY_DATA}"

GAMMAS=2^-4:2^4
BOOKS='pm1 indicator alignment consistency mincorr'
SETS=${HNR_SETS:-iris wine glass vowel yeast}

# what MACHINE BOOK: the options that train it. gamma is a ridge, or one over it (PLAN.md).
what() {
    ridge="--kernel rbf --grid ridge=$GAMMAS,sigma=$GAMMAS"
    C="--kernel rbf --grid C=$GAMMAS,sigma=$GAMMAS"
    case $1 in
    vo-lssvm) echo "--machine vo-lssvm --labelbook $2 $C" ;;
    vo-svm) echo "--machine vo-svm --labelbook $2 $C --gap 1e-6" ;;
    szedmak) echo "--machine vo-svm --labelbook $2 $C --bias" ;;
    szedmak-mean) echo "--machine vo-svm --labelbook $2 $C --bias --bias-rule mean" ;;
    penalised) echo "--machine vo-svm --labelbook $2 $C --gap 1e-6 --bias --bias-rule penalised" ;;
    onelsm) echo "--machine onelsm $ridge" ;;
    vo-rls | vo-rls-f) echo "--machine $1 --labelbook $2 $ridge" ;;
    elm) echo "--machine elm --hidden 1000 --grid ridge=2^-24:2^24" ;;
    *) echo "--machine $1 $ridge" ;;
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

# once RESULT COMMAND...: its output becomes RESULT, unless that is there. A machine that refuses the bias of its
# labelbook has that for a result, and the table says so.
once() {
    result=$work/$1.json
    shift
    [ -s "$result" ] && return
    mkdir -p "${result%/*}"
    echo "${result#"$work"/}" >&2
    "$@" >"$result.part" || grep -q 'a bias alone meets every constraint' "$result.part" || exit 1
    mv "$result.part" "$result"
}

# one RESULT ROWS MACHINE BOOK OPTION...
one() {
    name=$1 rows=$2 options=$(what "$3" "$4")
    shift 4
    # shellcheck disable=SC2086 # options are words
    once "$name" "$tool" cv "$(data_of "$rows")" --scale "$(scale_of "$rows")" --folds 10 --seed 1 \
        --json -q $options "$@"
}

# How many of the ten partitions: all in closed form, else what takes about a minute (PLAN.md).
repeats() {
    case $1-$2 in
    *-onelsm | *-vo-lssvm) echo 10 ;;
    yeast-vo-svm) echo 5 ;;
    yeast-vo-rls) echo 3 ;;
    yeast-*) echo 1 ;;
    vowel-vo-svm) echo 10 ;;
    vowel-szedmak* | vowel-penalised) echo 2 ;;
    vowel-*) echo 5 ;;
    *) echo 10 ;;
    esac
}

part_table4() {
    for set in $SETS; do
        one "table4/$set.onelsm.any" "$set" onelsm any --repeat 10
        for machine in vo-lssvm vo-rls vo-rls-f vo-svm szedmak szedmak-mean penalised; do
            for book in $BOOKS; do
                one "table4/$set.$machine.$book" "$set" "$machine" "$book" \
                    --repeat "$(repeats "$set" "$machine")"
            done
        done
        for machine in ls-ova ls-ovo suykens elm; do
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
    [ -s "$work/data/usps2000thin-5.csv" ] || python3 "$here/prepare.py" "$POLYTOMY_DATA" "$work/data"
}

# many SET MACHINE BOOK LAST: samples 1 to LAST.
many() {
    for i in 1 2 3 4 5; do
        [ $i -le "$4" ] && one "table6/$1-$i.$2.$3" "$1-$i" "$2" "$3"
    done
    return 0
}

# Minimum-correlation is alignment (its rows of Table 4 show it), so it is left out here.
part_table6() {
    samples
    for set in usps1000 usps2000 letter2000; do
        many "$set" onelsm any 5
        for book in pm1 indicator alignment consistency; do
            many "$set" vo-lssvm $book 2
            many "$set" vo-svm $book 2
        done
        for book in alignment consistency; do
            many "$set" szedmak $book 1
        done
        many "$set" ls-ova pm1 1
        many "$set" ls-ovo pm1 1
    done
}

part_times() {
    samples
    for machine in onelsm ls-ova ls-ovo; do
        one "times/letter2000-1.$machine.pm1" letter2000-1 "$machine" pm1
    done
}

# The same with every machine trained again for every fold, as the paper did: long.
part_naive() {
    samples
    for machine in onelsm ls-ova ls-ovo; do
        one "naive/letter2000-1.$machine.pm1" letter2000-1 "$machine" pm1 --scale-per-fold
    done
}

# compare RESULT ROWS GRID MACHINE...
compare() {
    name=$1 rows=$2 grid=$3
    shift 3
    for entrant; do
        set -- "$@" --machine "$entrant"
        shift
    done
    once "$name" "$tool" compare "$(data_of "$rows")" --merge no --kernel rbf --scale range --folds 10 --seed 1 \
        --json -q --grid "$grid,sigma=$GAMMAS" "$@"
}

# books RESULT ROWS GRID MACHINE BOOK...: the labelbooks of one machine against each other.
books() {
    name=$1 rows=$2 grid=$3 entrant=$4
    shift 4
    for book; do
        set -- "$@" "$entrant$book"
        shift
    done
    compare "$name" "$rows" "$grid" "$@"
}

part_ftest() {
    for set in iris wine glass vowel; do
        # shellcheck disable=SC2086 # labelbooks are words
        for machine in vo-rls vo-rls-f; do
            books "ftest/$set.$machine" $set "ridge=$GAMMAS" $machine:labelbook= $BOOKS
        done
        # shellcheck disable=SC2086
        books "ftest/$set.vo-lssvm" $set "C=$GAMMAS" vo-lssvm:labelbook= $BOOKS
        # shellcheck disable=SC2086
        books "ftest/$set.vo-svm" $set "C=$GAMMAS" vo-svm:gap=1e-6,labelbook= $BOOKS
        books "ftest/$set.szedmak" "$set" "C=$GAMMAS" vo-svm:bias=yes,labelbook= alignment consistency mincorr
        # shellcheck disable=SC2086
        books "ftest/$set.penalised" $set "C=$GAMMAS" vo-svm:gap=1e-6,bias=yes,bias-rule=penalised,labelbook= $BOOKS
        compare "ftest/$set.machines" "$set" "ridge=$GAMMAS,C=$GAMMAS" onelsm vo-lssvm \
            vo-rls vo-rls-f vo-svm:gap=1e-6
    done
    # shellcheck disable=SC2086
    books ftest/yeast.vo-lssvm yeast "C=$GAMMAS" vo-lssvm:labelbook= $BOOKS
}

part_open() {
    samples
    for set in $SETS; do
        one "open/$set.unstratified" "$set" onelsm any --repeat 10 --stratify no
        one "open/$set.per-fold" "$set" onelsm any --scale-per-fold \
            --repeat "$(repeats "$set" per-fold)"
    done
    # Whether the grid is wide enough for labels whose vectors are long, and the gap small enough for a bias.
    once open/yeast.vo-svm.pm1.wide "$tool" cv "$(data_of yeast)" --scale range --folds 10 --seed 1 --json -q \
        --machine vo-svm --labelbook pm1 --gap 1e-6 --kernel rbf --grid "C=2^-12:2^4,sigma=$GAMMAS" --repeat 5
    for book in alignment consistency; do
        one "open/vowel.szedmak.$book.gap" vowel szedmak $book --gap 1e-6 --repeat 2
    done
    for i in 1 2 3 4 5; do
        for set in usps1000 usps2000; do
            one "open/$set-$i.range" "$set-$i" onelsm any --scale range
            one "open/$set-$i.thin.onelsm.any" "${set}thin-$i" onelsm any
            [ $i -le 2 ] || continue
            for book in pm1 alignment; do
                one "open/$set-$i.thin.vo-lssvm.$book" "${set}thin-$i" vo-lssvm $book
                one "open/$set-$i.thin.vo-svm.$book" "${set}thin-$i" vo-svm $book
            done
        done
    done
}

[ $# -gt 0 ] || set -- table4 table5 table6 ftest times open
for part in "$@"; do
    case $part in
    table4 | table5 | table6 | ftest | times | open | naive) "part_$part" ;;
    *)
        echo "$part is not a part: table4 table5 table6 ftest times open naive" >&2
        exit 2
        ;;
    esac
done
python3 "$here/table.py" "$work" >"$here/RESULTS.md"
