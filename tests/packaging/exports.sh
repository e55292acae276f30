#!/bin/bash
# The shared library exports what the public headers promise, and nothing else; the stable one has at
# most MOST functions.
#     exports.sh libpolytomy.so polytomy.h experimental.h
set -euo pipefail
library=$1
stable=$2
experimental=$3
MOST=130

exported=$(nm -D --defined-only "$library" | awk '$2 ~ /[TDBRVW]/ {sub(/@.*/, "", $3); print $3}' | sort -u)
# A promise is a PT_API that is not the macro's own definition; its name is the first pt_...( after it.
promised_by() {
    sed -e 's@/\*.*\*/@@' "$@" | tr '\n' ' ' | grep -oE 'PT_API [^;]*;' |
        grep -oE 'pt_[a-z0-9_]+ *\(' | tr -d ' (' | sort -u
}
promised=$(promised_by "$stable" "$experimental")
count=$(promised_by "$stable" | wc -l)

extra=$(comm -23 <(echo "$exported") <(echo "$promised"))
absent=$(comm -13 <(echo "$exported") <(echo "$promised"))
[ -z "$extra" ] || { echo "exported, but not in the header:"; echo "$extra"; }
[ -z "$absent" ] || { echo "in the header, but not exported:"; echo "$absent"; }
[ -z "$extra" ] && [ -z "$absent" ] &&
    echo "$(echo "$promised" | wc -l) functions, exactly those of the headers; $count are stable"
[ "$count" -le "$MOST" ] || { echo "$count functions are stable: more than $MOST"; exit 1; }
