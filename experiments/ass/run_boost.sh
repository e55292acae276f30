#!/bin/sh
# Figure 3, Table 2 and Figures 4 and 7 of ASS: sh run_boost.sh [figure3] [table2] [discrete] [exact] [draws]; all parts if none is
# named. A data set is a part too, its rows of Table 2, and so is one cell of it: letter, letter.ova. Several may run at a time.
# Needs POLYTOMY_DATA and the built tool (POLYTOMY names another). PLAN.md says what is done and why. What is done
# lies in build/ass/boost (ASS_WORK names another folder than build/ass), one JSON file a run, and is not done again.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
tool=${POLYTOMY:-$top/build/polytomy}
work=${ASS_WORK:-$top/build/ass}/boost
threads=${ASS_THREADS:-0}
seed=1
: "${POLYTOMY_DATA:?name the folder of the data sets in POLYTOMY_DATA}"

SETS='vowel soybean audiology satimage letter pendigits dermatology glass ecoli yeast segmentation thyroid isolet'
model=$work/model.$$
trap 'rm -f "$model" "$work/figure3."*.$$.csv' EXIT

# once RESULT COMMAND...: its output becomes RESULT, unless that is there.
once() {
    result=$work/$1.json
    shift
    [ -s "$result" ] && return
    mkdir -p "${result%/*}"
    echo "${result#"$work"/}" >&2
    "$@" >"$result.part.$$"
    mv "$result.part.$$" "$result"
}

train() { # DATA OPTION...
    "$tool" train "$@" -o "$model" --merge no --calibrate no --seed "$seed" --threads "$threads" -q >&2
}

# ---- Figure 3 ----

# abs_x.csv K SEED: N(0, 1) without its sign, and the class by rank.
absolute() {
    "$tool" synth ass --classes "$1" --seed "$2" -q -o - | sed '2,$s/^-//'
}

# relabelled TRAIN TEST: TEST with the classes that the largest value of each class of TRAIN gives.
relabelled() {
    awk -F, -v OFS=, '
        FNR == 1 { if (NR != 1) print; next }
        NR == FNR { if ($1 > largest[$2] + 0) largest[$2] = $1; if ($2 > k) k = $2; next }
        { for (j = 1; j < k && $1 > largest[j] + 0; j++); print $1, j }' "$1" "$2"
}

figure3_one() { # K SET CODE
    absolute "$1" "$2" >"$work/figure3.train.$$.csv"
    absolute "$1" $((100 + $2)) >"$work/figure3.ranked.$$.csv"
    relabelled "$work/figure3.train.$$.csv" "$work/figure3.ranked.$$.csv" >"$work/figure3.test.$$.csv"
    train "$work/figure3.train.$$.csv" --code "$3" --learner adaboost --boost discrete --polarity below --bins 0 --rounds 10 \
        --decode exp
    "$tool" eval "$model" "$work/figure3.test.$$.csv" --json -q
}

figure3() {
    for k in 3 4 5 6 7 8; do
        for number in 1 2 3 4 5 6 7 8 9 10; do
            for code in complete ova; do
                once "figure3/$code.$k.$number" figure3_one $k $number $code
            done
        done
    done
}

# ---- Table 2 ----

codes_of() { # SET: those that the paper has
    case $1 in
    thyroid | isolet) echo ova dense sparse ;;
    soybean | audiology | letter) echo ova ovo dense sparse ;;
    *) echo ova complete ovo dense sparse ;;
    esac
}

folds_of() { # SET
    case $1 in
    dermatology | glass | segmentation | ecoli | yeast | thyroid) echo 1 2 3 4 5 6 7 8 9 10 ;;
    *) echo 0 ;;
    esac
}

# The most rounds: 1000, or where so many take more than two minutes on one core the largest of the grid that take less.
grid_of() { # SET CODE
    case $1.$2 in
    isolet.dense | isolet.sparse) echo 10,20,50,100,200,500 ;;
    *) echo 10,20,50,100,200,500,1000 ;;
    esac
}

# by_rounds TRAIN TEST ROUNDS,... OPTION...: one training, and its errors after so many rounds.
by_rounds() {
    train_file=$1 test_file=$2 grid=$3
    shift 3
    train "$train_file" --machine adaboost-mo --decode exp --rounds "${grid##*,}" "$@"
    "$tool" eval "$model" "$test_file" --stages "$grid" --json -q
}

sigmoid() { # TRAIN TEST ROUNDS OPTION...
    train_file=$1 test_file=$2 rounds=$3
    shift 3
    train "$train_file" --machine adaboost-mo --decode sigmoid --rounds "$rounds" "$@"
    "$tool" eval "$model" "$test_file" --json -q
}

table2_cell() { # SET CODE
    for fold in $(folds_of "$1"); do
        files=$work/data/$1/$fold name=table2/$1.$2.$fold grid=$(grid_of "$1" "$2")
        once "$name.hold" by_rounds "$files.grow.csv" "$files.hold.csv" "$grid" --code "$2"
        once "$name.exp" by_rounds "$files.train.csv" "$files.test.csv" "$grid" --code "$2"
        rounds=$(python3 "$here/table_boost.py" choose "$work/$name.hold.json")
        once "$name.sigmoid" sigmoid "$files.train.csv" "$files.test.csv" "$rounds" --code "$2"
    done
}

# side READING SET CODE OPTION...
side() {
    reading=$1 set_name=$2 code=$3
    shift 3
    for fold in $(folds_of "$set_name"); do
        files=$work/data/$set_name/$fold
        once "$reading/$set_name.$code.$fold.exp" by_rounds "$files.train.csv" "$files.test.csv" \
            "$(grid_of "$set_name" "$code")" --code "$code" "$@"
    done
}

table2() { # SET...
    for set; do
        for code in $(codes_of "$set"); do
            table2_cell "$set" "$code"
        done
    done
}

sides() { # READING SETS OPTION...
    reading_name=$1 sets=$2
    shift 2
    for one_set in $sets; do
        for one_code in $(codes_of "$one_set"); do
            side "$reading_name" "$one_set" "$one_code" "$@"
        done
    done
}

# How much the draw of a random code matters: four more of each, and one by the paper's weaker rule.
draws() {
    for seed in 2 3 4 5; do
        for one_set in vowel pendigits letter; do
            side seed$seed $one_set dense
            side seed$seed $one_set sparse
        done
    done
    seed=1
    side paper letter sparse --paper
}

# shellcheck disable=SC2086 # sets are words
part() {
    case $1 in
    figure3) figure3 ;;
    table2) table2 $SETS ;;
    discrete) sides discrete "$SETS" --boost discrete ;;
    exact) sides exact vowel --bins 0 ;;
    draws) draws ;;
    *.*) table2_cell "${1%.*}" "${1#*.}" ;;
    *) table2 "$1" ;;
    esac
}

[ $# -gt 0 ] || set -- figure3 table2 discrete exact draws
mkdir -p "$work"
[ -d "$work/data" ] || python3 "$here/folds.py" "$POLYTOMY_DATA" "$work/data"
for name; do
    part "$name"
done
python3 "$here/table_boost.py" "$work" >"$here/RESULTS_BOOST.md"
