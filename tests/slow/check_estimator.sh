#!/bin/bash
# check_estimator of the newest scikit-learn on the proof in bindings/python, with pandas and the array
# API, whose checks are skipped otherwise. The environment is made by pip; 77 without network.
#     tests/slow/check_estimator.sh TOOL
set -euo pipefail
tool=$(readlink -f "$1")
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv" && "$work/venv/bin/pip" install -q scikit-learn pandas array-api-strict ||
    { echo "no scikit-learn from PyPI"; exit 77; }
export POLYTOMY_LIBRARY=$(dirname "$tool")/libpolytomy.so SCIPY_ARRAY_API=1
"$work/venv/bin/python" -B "$root/tests/bindings/test_python.py"
"$work/venv/bin/python" -B "$root/tests/bindings/check_estimator.py" onelsm vo-lssvm vo-rls vo-rls-f \
    vo-svm spoc ww ls-ova ls-ovo suykens elm softmax tree:min_leaf_weight=1 adaboost-mo:min_leaf_weight=1 \
    adaboost-mh:min_leaf_weight=1 class-tree constraint rank-ls relevance powerset code designed all-pairs
