#!/bin/sh
# Runs command-line tests. A test is NAME.sh; it runs in an empty folder and what it prints must be
# NAME.stdout, its exit code what NAME.exit says (0 where there is none).
#
#     tests/cli/run.sh TOOL [NAME...]            runs them (all by default)
#     UPDATE=1 tests/cli/run.sh TOOL [NAME...]   writes NAME.stdout anew; look at the difference
#
# A test exits with 77 to report that it cannot be run here. Times are replaced before comparing.
set -u
[ $# -ge 1 ] || { echo "usage: run.sh TOOL [NAME...]" >&2; exit 2; }
tool=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
shift
cases=$(cd "$(dirname "$0")" && pwd)
if [ $# -eq 0 ]; then
    for script in "$cases"/*.sh; do
        name=$(basename "$script" .sh)
        [ "$name" = run ] || [ "$name" = lib ] || set -- "$@" "$name"
    done
fi

work=$(mktemp -d) || exit 1
trap 'chmod -R u+w "$work" 2>/dev/null; rm -rf "$work"' EXIT
LC_ALL=C POLYTOMY=$tool CASES=$cases DATA=$cases/../../data
# Memory that cannot be had is NULL, as without sanitizers.
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}allocator_may_return_null=1
export LC_ALL POLYTOMY CASES DATA ASAN_OPTIONS

# Seconds differ from run to run, the version from release to release.
filter()
{
    sed -E -e '/WARNING: AddressSanitizer failed to allocate/d' -e 's/[0-9]+\.[0-9]+ s\b/# s/g' -e 's/"(read|train|predict|total)": [0-9.e+-]+/"\1": #/' \
        -e 's/polytomy [0-9]+\.[0-9]+\.[0-9]+/polytomy #/' -e 's/"version": "[0-9.]+"/"version": "#"/'
}

failed=0
skipped=0
for name in "$@"; do
    mkdir "$work/$name"
    (cd "$work/$name" && sh "$cases/$name.sh" 2>../"$name.stderr" </dev/null) >"$work/$name.raw"
    code=$?
    filter <"$work/$name.raw" >"$work/$name.stdout"
    if [ "$code" -eq 77 ]; then
        echo "skipped: $name"
        skipped=$((skipped + 1))
        continue
    fi
    wanted=0
    [ ! -f "$cases/$name.exit" ] || wanted=$(cat "$cases/$name.exit")
    if [ "${UPDATE:-}" ]; then
        cp "$work/$name.stdout" "$cases/$name.stdout"
    elif ! diff -u "$cases/$name.stdout" "$work/$name.stdout"; then
        echo "FAILED: $name: other output than $name.stdout"
        failed=$((failed + 1))
    fi
    if [ "$code" -ne "$wanted" ]; then
        echo "FAILED: $name: exit code $code, not $wanted"
        failed=$((failed + 1))
    fi
    [ ! -s "$work/$name.stderr" ] || cat "$work/$name.stderr"
done
[ $failed -eq 0 ] || exit 1
[ $skipped -lt $# ] || exit 77
