#!/bin/sh
# How true probabilities are, against none fitted and against scikit-learn: remakes the tables of RESULTS.md. See PLAN.md.
set -eu
exec python3 "$(dirname "$0")/study.py" "$@"
