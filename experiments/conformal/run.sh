#!/bin/sh
# Coverage and size of conformal sets, costs of decisions, thresholds by F1: makes RESULTS.md. See PLAN.md.
#
#   run.sh            all of it: some minutes. POLYTOMY_DATA: the folder of the data sets;
#                     POLYTOMY_LIBRARY: libpolytomy.so, else that of build/
#   run.sh coverage|costs|thresholds [SET...]   a part, printed
set -eu
here="$(cd "$(dirname "$0")" && pwd)"
: "${POLYTOMY_LIBRARY:=$here/../../build/libpolytomy.so}"
export POLYTOMY_LIBRARY OMP_NUM_THREADS="${OMP_NUM_THREADS:-1}"
python="${PYTHON:-python3}" # with numpy
if [ $# -gt 0 ]; then
    exec "$python" "$here/study.py" "$@"
fi
"$python" "$here/study.py" all >"$here/RESULTS.md.new"
mv "$here/RESULTS.md.new" "$here/RESULTS.md"
