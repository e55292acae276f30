#!/bin/sh
# Figure 5, Table 1 and the study of designed codes: sh run.sh [figure5] [table1] [study]; all parts if none is named. A data set
# is a part too: its rows of the study. PLAN.md says what is done and why. Needs POLYTOMY_DATA (table1, the study), the built tool,
# bench/bench_spoc and bench/bench_lpdesign (POLYTOMY_BUILD names another build folder than build), R with quadprog (figure5). What
# is done lies in build/cs (CS_WORK names another folder), one JSON file a run, and is not done again. At the end RESULTS.md is made
# from it; a part that was never run keeps its section.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
build=${POLYTOMY_BUILD:-$top/build}
tool=$build/polytomy
work=${CS_WORK:-$build/cs}
mkdir -p "$work"

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

# ---- Figure 5 ----

figure5() {
    for m in 10 25 50 100 150 200 250; do
        for set in 1 2 3; do
            data=$work/quadrants.$m.$set.csv
            [ -s "$data" ] || "$tool" synth cs -n $m --seed $set -q -o "$data"
            for C in 0.1 1 10; do
                for gap in 1e-3 1e-6; do
                    once "figure5/spoc.$m.$set.$C.$gap" "$build/bench/bench_spoc" "$data" 1 \
                        "C=$C,kernel=linear,scale=none,precision=double,gap=$gap"
                done
            done
            once "figure5/quadprog.$m.$set.1" Rscript "$here/quadprog.R" "$data" 1
        done
    done
    # The side readings, at the end of the figure alone.
    for C in 0.1 10; do
        once "figure5/quadprog.250.1.$C" Rscript "$here/quadprog.R" "$work/quadrants.250.1.csv" $C
    done
}

# ---- Table 1 ----

# Programs of p = 1 and p = infinity at m = 1000, k = 10, l = 45: outputs of all pairs of linear machines on rows of usps that they
# have not seen. Scaled to [-1, 1] already.
table1() {
    for part in train test; do
        data=$work/usps.$part.csv
        [ -s "$data" ] || gzip -dc "$POLYTOMY_DATA/usps/$part.csv.gz" | sed 1d >"$data"
    done
    for point in "1 1" "inf 0.01"; do
        norm=${point% *} C=${point#* }
        for way in ours primal presolve-primal unscaled-primal dual presolve-dual unscaled-dual; do
            once "table1/$norm.$way" env OMP_NUM_THREADS=1 "$build/bench/bench_lpdesign" "$work/usps.train.csv" \
                "$work/usps.test.csv" 1000 "$way" "$norm" "$C"
        done
    done
}

# ---- the study ----

study() { # SET...
    python3 "$here/study.py" "${POLYTOMY_DATA:?name the folder of the data sets in POLYTOMY_DATA}" "$work" "$tool" "$@"
}

parts=${*:-figure5 table1 study}
for part in $parts; do
    case $part in
    figure5) figure5 ;;
    table1) table1 ;;
    study) study ;;
    vowel | soybean | satimage | pendigits | letter | isolet) study "$part" ;;
    *)
        echo "run.sh: there is no part '$part'" >&2
        exit 2
        ;;
    esac
done
python3 "$here/table.py" "$work" "$here/RESULTS.md"
