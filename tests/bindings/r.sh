#!/bin/bash
# The proof in bindings/r: compiled, then tested by tests/bindings/test_r.R; 77 without R.
#     tests/bindings/r.sh LIBRARY ROOT
set -euo pipefail
library=$1 root=$2
command -v R >/dev/null || { echo "there is no R"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$root/bindings/r/polytomy_proof.c" "$work"
folder=$(dirname "$library")
cd "$work"
PKG_CPPFLAGS="-I$root/include" PKG_CFLAGS="-Wall -Wextra -Werror" \
    PKG_LIBS="-L$folder -lpolytomy -Wl,-rpath,$folder" R CMD SHLIB polytomy_proof.c >log 2>&1 ||
    { cat log; exit 1; }
Rscript --vanilla "$root/tests/bindings/test_r.R" ./polytomy_proof.so \
    "$root/bindings/r/polytomy_proof.R" model.rds
