#!/bin/sh
# Prints the way of a command through the source: functions in the order in which they are first
# entered, by file, and at the end how many there are and how often the folder changes.
#     scripts/walk.sh train data/iris.csv -o /tmp/model.pt
# Builds build-walk, without optimisation, on first use; the command runs on one processor.
set -eu
[ $# -gt 0 ] || { sed -n '2,5s/^# \{0,1\}//p' "$0"; exit 2; }
here=$(cd "$(dirname "$0")/.." && pwd)
build=$here/build-walk
"$here/scripts/build.sh" walk "${JOBS:-2}" >"$build.log" 2>&1 || { tail -n 20 "$build.log" >&2; exit 1; }
rm -f "$build.log"
cc -O2 -fPIC -shared -o "$build/record.so" "$here/scripts/walk/record.c" -ldl
record=$(mktemp)
trap 'rm -f "$record"' EXIT
WALK_TO=$record LD_PRELOAD=$build/record.so taskset -c 0 "$build/polytomy" "$@" >&2 || true
[ -s "$record" ] || { echo "walk.sh: nothing was recorded" >&2; exit 1; }
"$here/scripts/walk/report.py" "$record"
