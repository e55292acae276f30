#!/bin/sh
# Figure 3 of HRZ, hrz-ova, and the study of sets and rankings: sh run.sh [figure3] [ova] [sets] [rankings] [SET...]; all parts if none is
# named. PLAN.md says what is done and why. Needs POLYTOMY_DATA, the built tool (POLYTOMY names another) and Python with numpy, scipy and
# scikit-learn (PYTHON names it). What is done lies in build/hrz (HRZ_WORK names another folder) and is not done again.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
tool=${POLYTOMY:-$top/build/polytomy}
work=${HRZ_WORK:-$top/build/hrz}
python=${PYTHON:-python3}
: "${POLYTOMY_DATA:?name the folder of the data sets in POLYTOMY_DATA}"
mkdir -p "$work"

for part in ${*:-ova figure3 sets rankings}; do
    case $part in
    ova | figure3) "$python" "$here/figure3.py" "$POLYTOMY_DATA" "$work" "$tool" "$part" ;;
    *) "$python" "$here/study.py" "$POLYTOMY_DATA" "$work" "$tool" "$part" ;;
    esac
done
"$python" "$here/table.py" "$work" >"$here/RESULTS.md"
