#!/bin/bash
# check_estimator of the newest scikit-learn on the proof in bindings/python, with pandas and the
# array API, whose checks are skipped otherwise. pip makes the environment; 77 without network.
#     tests/slow/check_estimator.sh TOOL
set -euo pipefail
tool=$(readlink -f "$1")
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv" &&
    "$work/venv/bin/pip" install -q scikit-learn pandas array-api-strict ||
    { echo "no scikit-learn from PyPI"; exit 77; }
export POLYTOMY_LIBRARY=${tool%/*}/libpolytomy.so SCIPY_ARRAY_API=1
"$work/venv/bin/python" -B "$root/tests/bindings/test_python.py"
leaf=min_leaf_weight=1 # bindings/README.md has the reason
"$work/venv/bin/python" -B "$root/tests/bindings/check_estimator.py" onelsm vo-lssvm vo-rls \
    vo-rls-f vo-svm spoc ww ls-ova ls-ovo suykens elm softmax tree:$leaf adaboost-mo:$leaf \
    adaboost-mh:$leaf class-tree constraint rank-ls relevance powerset code designed all-pairs
