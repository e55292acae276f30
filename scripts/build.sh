#!/bin/sh
# Configures and builds a preset of CMakePresets.json.
#     scripts/build.sh PRESET [JOBS]
set -eu
preset=$1
jobs=${2:-2}
cd "$(dirname "$0")/.."

# Always configured anew, which takes a second: a package that was missing may be there by now.
log=$(mktemp)
trap 'rm -f "$log"' EXIT
cmake --preset "$preset" >"$log" 2>&1 || { cat "$log" >&2; exit 1; }
cmake --build --preset "$preset" -j "$jobs"
