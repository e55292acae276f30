#!/bin/sh
# Configures (once) and builds a preset of CMakePresets.json.
#     scripts/build.sh PRESET [JOBS]
set -eu
preset=$1
jobs=${2:-2}
cd "$(dirname "$0")/.."

folder=build
[ "$preset" = release ] || folder=build-$preset
if [ ! -f "$folder/build.ninja" ]; then
    cmake --preset "$preset" >"${folder}.log" 2>&1 || {
        cat "${folder}.log" >&2
        rm -f "${folder}.log"
        exit 1
    }
    rm -f "${folder}.log"
fi
cmake --build --preset "$preset" -j "$jobs"
