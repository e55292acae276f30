#!/bin/sh
# Table 3 and Figures 5 and 6 of ASS: sh run.sh [main] [small-C] [homogeneous] [seeds]; all parts if none is named.
# Needs POLYTOMY_DATA and the built tool (POLYTOMY names another). PLAN.md says what is done and why. What is done
# lies in build/ass (ASS_WORK names another folder), one JSON file a run, and is not done again.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
tool=${POLYTOMY:-$top/build/polytomy}
work=${ASS_WORK:-$top/build/ass}
: "${POLYTOMY_DATA:?name the folder of the data sets in POLYTOMY_DATA}"

CODES='ova complete ovo dense sparse'
SETS='dermatology satimage glass ecoli pendigits yeast vowel soybean'

reading_options() {
    case $1 in
    main) echo '--C 1 --coef0 1' ;;
    small-C) echo '--C 0.001 --coef0 1' ;;
    homogeneous) echo '--C 1 --coef0 0' ;;
    esac
}

file_of() { # SET PART
    case $1 in
    soybean) echo "$POLYTOMY_DATA/soybean/$2-named.csv.gz" ;;
    *) echo "$POLYTOMY_DATA/$1/$2.csv.gz" ;;
    esac
}

# once RESULT COMMAND...: its output becomes RESULT, unless that is there.
once() {
    result=$work/$1.json
    shift
    [ -s "$result" ] && return
    mkdir -p "${result%/*}"
    echo "${result#"$work"/}" >&2
    "$@" >"$result.part" && mv "$result.part" "$result"
}

train_and_eval() { # SET MODEL OPTION...
    set_name=$1 model=$2
    shift 2
    "$tool" train "$(file_of "$set_name" train)" -o "$model" --merge no -q "$@" >&2
    "$tool" eval "$model" "$(file_of "$set_name" test)" --json -q
    rm -f "$model"
}

one() { # READING SET CODE DECODE [SEED]
    seed=${5:-1}
    name=$1/$2.$3.$4${5:+.$5} set_name=$2
    # shellcheck disable=SC2046 # options are words
    set -- --code "$3" --learner svm --decode "$4" --kernel poly --degree 4 --sigma 1 --scale range --seed "$seed" \
        $(reading_options "$1")
    case $set_name in
    satimage | pendigits | vowel | soybean)
        once "$name" train_and_eval "$set_name" "$work/model" "$@" ;;
    *)
        once "$name" "$tool" cv "$(file_of "$set_name" train)" --folds 10 --json -q "$@" ;;
    esac
}

reading() {
    for set in $SETS; do
        for code in $CODES; do
            [ "$set.$code" = soybean.complete ] && continue
            for decode in hamming hinge; do
                one "$1" "$set" "$code" "$decode"
            done
        done
    done
}

# How much the draw of a random code matters: four more of each where the test set is fixed.
seeds() {
    for set in satimage pendigits vowel soybean; do
        for code in dense sparse; do
            for decode in hamming hinge; do
                for seed in 2 3 4 5; do
                    one main "$set" "$code" "$decode" $seed
                done
            done
        done
    done
}

[ $# -gt 0 ] || set -- main small-C homogeneous seeds
mkdir -p "$work"
for part; do
    case $part in
    main | small-C | homogeneous) reading "$part" ;;
    seeds) seeds ;;
    *)
        echo "$part is not a part: main small-C homogeneous seeds" >&2
        exit 2
        ;;
    esac
done
python3 "$here/table.py" "$work" >"$here/RESULTS.md"
