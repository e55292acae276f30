#!/bin/bash
# The proof in bindings/python, by the first Python that has numpy; 77 where none has.
#     tests/bindings/python.sh LIBRARY ROOT test          its tests, with and without scikit-learn
#     tests/bindings/python.sh LIBRARY ROOT check [NAME]  scikit-learn's check_estimator
set -euo pipefail
export POLYTOMY_LIBRARY=$1
root=$2 what=$3
shift 3
for python in python3 /usr/bin/python3; do
    "$python" -B -c 'import numpy' 2>/dev/null && break
    python=
done
[ -n "$python" ] || { echo "there is no Python with numpy"; exit 77; }
if [ "$what" = check ]; then
    exec "$python" -B "$root/tests/bindings/check_estimator.py" "$@"
fi
"$python" -B "$root/tests/bindings/test_python.py"
"$python" -B -c 'import runpy, sys
sys.modules["sklearn"], sys.argv = None, sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")' "$root/tests/bindings/test_python.py"
