#!/bin/bash
# docs/licences.md names every library that ours is linked with: those that the shared library needs,
# those that these need, and those that pkg-config tells who links libpolytomy.a.
#     licences.sh libpolytomy.so BUILD-DIR SOURCE-DIR
set -euo pipefail
library=$1 build=$2 source=$3
page=$source/docs/licences.md

named=$(mktemp)
linked=$(mktemp)
trap 'rm -f "$named" "$linked"' EXIT
# The second column of the table: `libx`, `liby`.
awk -F '|' '/^\| / { print $3 }' "$page" | grep -oE '`[^`]+`' | tr -d '`' | sort -u >"$named"

{
    readelf -d "$library" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'
    ldd "$library" | awk '!/linux-vdso/ { print $1 }'
    sed -n 's/^Libs.private://p' "$build/polytomy.pc" | tr ' ' '\n' | sed -n 's/^-l/lib/p'
    if grep -q '^Libs.private:.*-fopenmp' "$build/polytomy.pc"; then echo libgomp; fi
} | sed -e 's@.*/@@' -e 's/\.so.*//' -e 's/\.a$//' | sort -u >"$linked"

[ "$(wc -l <"$linked")" -ge 5 ] || { echo "what is linked was not found:"; cat "$linked"; exit 1; }
absent=$(comm -13 "$named" "$linked")
if [ -n "$absent" ]; then
    echo "docs/licences.md does not name:"
    echo "$absent"
    exit 1
fi
# And it has a licence for each.
bare=$(awk -F '|' '/^\| .*`lib/ && $4 ~ /^ *$/' "$page")
[ -z "$bare" ] || { echo "no licence: $bare"; exit 1; }
echo "$(wc -l <"$linked") libraries, all named"
