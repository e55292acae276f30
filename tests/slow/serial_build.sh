#!/bin/bash
# A build without OpenMP and without Clp: builds without a warning, says so, links statically into a
# program of one thread, passes the suite of units, conformance and packaging, and writes the same
# model files as the build it is called with.
#     serial_build.sh POLYTOMY
set -euo pipefail
tool=$(readlink -f "$1")
source=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

cmake -S "$source" -B build -G Ninja -DCMAKE_BUILD_TYPE=Release -DPOLYTOMY_WERROR=ON \
    -DPOLYTOMY_OPENMP=OFF -DPOLYTOMY_CLP=OFF >configure.log || { cat configure.log; exit 1; }
cmake --build build -j "$(nproc)" >build.log || { tail -50 build.log; exit 1; }
build/polytomy version >version
grep -q '^threads: none (built without OpenMP)' version || { cat version; exit 1; }
grep -q '^linear programs: none (built without Clp)' version || { cat version; exit 1; }
if readelf -d build/libpolytomy.so | grep -E 'NEEDED.*(libgomp|libomp|libClp|libstdc)'; then
    echo "that should not be needed"
    exit 1
fi

# One thread, whatever is asked for and whatever the BLAS would like.
cat >one.py <<'END'
import subprocess, sys
process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
most = 0
while process.poll() is None:
    try:
        with open(f"/proc/{process.pid}/status") as status:
            most = max([most] + [int(line.split()[1]) for line in status if line.startswith("Threads")])
    except (FileNotFoundError, ProcessLookupError):
        break
print(most)
sys.exit(process.wait())
END
build/polytomy synth cs -n 3000 -o rows.csv -q
# OpenBLAS makes its threads when it is loaded, and lets them sleep: as many as without work.
idle=$(python3 one.py build/polytomy info rows.csv)
busy=$(python3 one.py build/polytomy train rows.csv -o serial.model --threads 8 --sigma 1 --ridge 1)
[ "$busy" -le "$idle" ] || { echo "$busy threads at work, $idle without"; exit 1; }
for machine in "onelsm --sigma 1 --ridge 1" "softmax" "tree" "code --code ovo --learner svm" "adaboost-mo --code ova --rounds 20"; do
    # shellcheck disable=SC2086 # options are words
    build/polytomy train rows.csv -o serial.model -q --machine $machine
    # shellcheck disable=SC2086
    "$tool" train rows.csv -o parallel.model -q --threads 2 --machine $machine
    cmp serial.model parallel.model
done

ctest --test-dir build -j "$(nproc)" --output-on-failure -L 'unit|conformance|packaging|example' -LE 'slow' >ctest.log ||
    { tail -80 ctest.log; exit 1; }
tail -8 ctest.log
