#!/bin/bash
# `make demo`: the tool at work on the data sets in data/. Everything it does can be done by hand; the
# commands are shown before they run. What it writes goes to build/demo/.
#     scripts/demo.sh build/polytomy
set -euo pipefail
cd "$(dirname "$0")/.."
tool=${1:-build/polytomy}
out=build/demo
mkdir -p "$out"

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
[ -t 1 ] || say() { printf '\n%s\n' "$*"; }
show() { # runs a command, after showing it
    echo "\$ $*"
    "$@"
}

# A number of an answer in JSON: its first line "name": value at the given indentation.
number() { # FILE INDENT NAME
    sed -n "s/^ \{$2\}\"$3\": \([^,]*\),\{0,1\}$/\1/p" "$1" | head -n 1
}

# One row of the table: cross-validates and reads the figures off the answer.
row() { # SET WHAT OPTIONS...
    local set=$1 what=$2 answer=$out/cv.json
    shift 2
    "$tool" cv "data/$set.csv" --json --quiet "$@" >"$answer"
    printf '%-8s %-9s %-28s %9s %8s\n' "$set" onelsm "$what$(chosen "$answer")" \
        "$(awk -v e="$(number "$answer" 2 error)" 'BEGIN {printf "%.2f %%", 100 * e}')" \
        "$(awk -v s="$(number "$answer" 4 total)" 'BEGIN {printf "%.2f s", s}')"
}

# ", ridge 0.5, sigma 2": the best point of a grid; nothing without one.
chosen() { # FILE
    awk '/^  "best"/ {inside = 1}
         inside && /^      "(ridge|sigma)"/ {gsub(/[":,]/, ""); printf ", %s %.4g", $1, $2}
         inside && /^  }/ {exit}' "$1"
}

say "1. Cross-validated errors (10 stratified folds), by closed form: no machine is trained twice"
printf '%-8s %-9s %-28s %9s %8s\n' data machine parameters error time
for set in iris wine digits; do
    row "$set" linear --kernel linear
    row "$set" "rbf, chosen by itself" --kernel rbf
    row "$set" rbf --kernel rbf --grid ridge=2^-4:2^4,sigma=2^-1:2^4
done

echo "(chosen by itself: ridge and sigma chosen anew without each fold)"

say "2. Train on three quarters of digits, and write the model"
awk 'NR == 1 || NR % 4 != 0' data/digits.csv >"$out/digits-train.csv"
awk 'NR == 1 || NR % 4 == 0' data/digits.csv >"$out/digits-test.csv"
show "$tool" train "$out/digits-train.csv" -o "$out/digits.model"

say "3. Load it again, and look at the quarter that it has not seen"
show "$tool" eval "$out/digits.model" "$out/digits-test.csv"

say "4. Predict"
show "$tool" predict "$out/digits.model" "$out/digits-test.csv" --top 3 -o "$out/top.txt"
head -n 3 "$out/top.txt"

say "Next, on a file of your own (CSV, LIBSVM, ARFF or NPY; the class is the last column, or --label NAME):"
cat <<END
  $tool cv    yours.csv                     # how good can it be?
  $tool train yours.csv -o yours.model      # keep a model
  $tool eval  yours.model new.csv           # and judge it on new data
END
