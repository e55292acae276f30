#!/bin/sh
# How true probabilities are, against none fitted and against scikit-learn: makes RESULTS.md. See PLAN.md.
#
#   WORKERS=16 run.sh      all of it, 16 runs at a time: days on one core. The same command goes on after an interruption.
#   run.sh quick           a quarter of an hour: three draws, some of the machines, some of the large sets
#   run.sh COMMAND [SET...]   one part of study.py
# Peers are run where there is scikit-learn.
set -eu
study="$(dirname "$0")/study.py"
case ${1:-all} in
all | quick)
    if [ "${1:-all}" = quick ]; then
        export DRAWS=3 MACHINES="onelsm;spoc;softmax;tree;adaboost-mh;svm pairs;svm pairs, vote;adaboost one-vs-all;adaboost depth 1;adaboost depth 4"
        export LIMIT="${LIMIT:-450}"
    fi
    python3 "$study" parts
    python3 "$study" large
    if python3 -c 'import sklearn' 2>/dev/null; then
        python3 "$study" peers
    fi
    ;;
*) python3 "$study" "$@" ;;
esac
exec python3 "$study" report
