#!/bin/bash
# `make check`: everything that must hold before a change goes in. Builds and suites are the workflow
# presets of CMakePresets.json. Stages run in two lanes, the longest first: while one configures,
# links or waits for its last test the other works on. Each stage writes its log to build/check/;
# one that fails shows the end of its log, the others still run. Ends with a table (stage, tests,
# skipped, seconds) and with the sum of all ctest runs in ctest's own words.
#     JOBS=2 FUZZ_SECONDS=5 scripts/check.sh [STAGE...]     all stages, or those named
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
lanes=2
jobs=${JOBS:-2} # of each lane: many tests wait for something else than a processor
fuzz_seconds=${FUZZ_SECONDS:-5}
logs=build/check
mkdir -p "$logs"
export CMAKE_BUILD_PARALLEL_LEVEL=$jobs CTEST_PARALLEL_LEVEL=$jobs
export CLICOLOR=0 CTEST_NO_TESTS_ACTION=error

# ---- the stages: a function each, which may write "TESTS SKIPPED FAILED" to $counts --------------

stage_release() { workflow gcc; }
stage_asan() { workflow asan; }
stage_tsan() { workflow tsan; }
stage_release-whole() { workflow gcc-whole; }
stage_asan-whole() { workflow asan-whole; }
stage_tsan-whole() { workflow tsan-whole; }
stage_format() {
    c_files include src cli examples bindings tests fuzz bench >"$logs/format.files"
    xargs clang-format --dry-run -Werror <"$logs/format.files" && count_lines "$logs/format.files"
}
stage_tidy() { tidy --checks=-clang-analyzer-*; } # which takes six times as long as the rest
stage_tidy-whole() { tidy; }
tidy() { # [OPTION]: clang-tidy reads the flags of the clang build
    cmake --preset clang || return 1
    # Files that are built here, one at a time: of several its analyser mixes up the va_list.
    sed -n 's/^ *"file": "\(.*\.c\)",\{0,1\}$/\1/p' build-clang/compile_commands.json |
        grep -E '/(src|cli|examples)/[^:]*$' | sort -u >"$logs/tidy.files"
    xargs -P "$jobs" -n 1 clang-tidy -p build-clang --quiet "$@" <"$logs/tidy.files" && count_lines "$logs/tidy.files"
}
stage_cppcheck() {
    cppcheck --quiet --std=c11 --language=c --error-exitcode=1 -j "$jobs" --inline-suppr \
        --enable=warning,performance,portability --suppress=missingIncludeSystem \
        --suppressions-list=scripts/cppcheck.supp --library=posix -D_POSIX_C_SOURCE=200809L -DPT_ISA=base -I include -I src -i src/solvers/program/guard.cpp src cli examples
}
stage_includes() {
    scripts/check_includes.py
}
stage_fuzz() { # each target a few seconds, from its kept inputs
    cmake --workflow --preset fuzz || return 1
    find build-fuzz/fuzz -maxdepth 1 -name 'fuzz_*' -type f -perm -u+x | sort >"$logs/fuzz.targets"
    export logs fuzz_seconds
    export -f fuzz_one
    xargs -P "$jobs" -n 1 bash -c 'fuzz_one "$0"' <"$logs/fuzz.targets" && count_lines "$logs/fuzz.targets"
}
fuzz_one() { # TARGET
    local name corpus fresh status
    name=$(basename "$1")
    corpus=fuzz/corpus/${name#fuzz_}
    [ -d "$corpus" ] || { echo "$name has no kept inputs in $corpus"; return 1; }
    fresh=$(mktemp -d) # what it finds on the way goes here, not into the tree
    # Memory that cannot be had is NULL, as without sanitizers: there are tests of that.
    ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1 "$1" -max_total_time="$fuzz_seconds" \
        -timeout=10 -rss_limit_mb=2048 -artifact_prefix="$logs/$name-" -print_final_stats=1 \
        "$fresh" "$corpus" >"$logs/$name.log" 2>&1
    status=$?
    rm -rf "$fresh"
    echo "== $name"
    tail -n 40 "$logs/$name.log"
    return $status
}

stages=(asan release tsan fuzz tidy cppcheck includes format)
extra=(release-whole asan-whole tsan-whole tidy-whole) # only by name: `make check-slow`
declare -A title=(
    [release]="gcc -Werror, the suite" [format]="clang-format" [tidy]="clang-tidy"
    [cppcheck]="cppcheck" [includes]="includes, banned calls, READMEs"
    [asan]="clang -Werror, ASan and UBSan" [tsan]="threads, TSan with archer"
    [fuzz]="fuzz targets, ${fuzz_seconds} s each"
    [tidy-whole]="clang-tidy and its analyzer"
    [release-whole]="gcc -Werror, every case"
    [asan-whole]="ASan and UBSan, every case" [tsan-whole]="TSan, every case"
)

# ---- how a stage is run and counted -------------------------------------------------------------

c_files() { # tracked and new C files of some folders
    git ls-files --cached --others --exclude-standard "${@/%//*.[ch]}" | while read -r file; do
        [ ! -f "$file" ] || echo "$file"
    done
}

count_lines() { # FILE: as many cases as it has lines
    echo "$(wc -l <"$1") - 0" >"$counts"
}

workflow() { # PRESET: configures, builds, tests; counts what ctest wrote
    local report="build-${1%-whole}/tests.xml" status
    rm -f "$report"
    cmake --workflow --preset "$1"
    status=$?
    [ ! -f "$report" ] || scripts/count_tests.py "$report" >"$counts" || status=1
    return $status
}

run_stage() { # NAME: runs it with its log; keeps its row for the table
    local name=$1 log="$logs/$1.log" start=$SECONDS verdict=ok
    counts=$logs/$name.counts
    echo "- - 0" >"$counts"
    "stage_$name" >"$log" 2>&1 || verdict=FAILED
    local seconds=$((SECONDS - start)) tests skipped failed
    read -r tests skipped failed <"$counts"
    printf '%-32s %6s %8s %8s  %s\n' "${title[$name]}" "$tests" "$skipped" "$seconds" "$verdict" >"$logs/$name.row"
    {
        echo "${title[$name]}: $verdict, $seconds s"
        if [ "$verdict" = FAILED ]; then
            tail -n 60 "$log"
            echo "(all of it: $log)"
        fi
    } | cat # in one piece, whoever else prints
}

if [ $# -gt 0 ]; then
    for name in "$@"; do
        [ -n "${title[$name]:-}" ] || { echo "there is no stage '$name'; stages: ${stages[*]} ${extra[*]}" >&2; exit 2; }
    done
    stages=("$@")
fi
for name in "${stages[@]}"; do
    rm -f "$logs/$name.row" "$logs/$name.counts"
done
trap 'trap - INT TERM; kill 0' INT TERM # the lanes end with us
exec 3< <(printf '%s\n' "${stages[@]}") # what is left to do
lane() {
    local name
    while { flock 4 && read -r -u 3 name; } 4>"$logs/queue"; do
        run_stage "$name"
    done
}
for ((each = 0; each < lanes; each++)); do lane & done
wait

# ---- the table ----------------------------------------------------------------------------------

all_tests=0 all_failed=0 failures=0
echo
printf '%-32s %6s %8s %8s\n' stage tests skipped seconds
for name in "${stages[@]}"; do
    cat "$logs/$name.row" 2>/dev/null || echo "${title[$name]}: did not end FAILED"
    grep -q ' ok$' "$logs/$name.row" 2>/dev/null || failures=$((failures + 1))
    case $name in
    release* | asan* | tsan*) # what ctest ran
        read -r tests _ failed <"$logs/$name.counts"
        if [ "$tests" != - ]; then
            all_tests=$((all_tests + tests))
            all_failed=$((all_failed + failed))
        fi
        ;;
    esac
done
printf '%-32s %6s %8s %8s  %s\n' total "$all_tests" "" "$SECONDS" \
    "$([ $failures -eq 0 ] && echo ok || echo "$failures stages FAILED")"
passed=0 # nothing was built, so nothing passed
[ "$all_tests" -eq 0 ] || passed=$(((all_tests - all_failed) * 100 / all_tests))
echo "$passed% tests passed, $all_failed tests failed out of $all_tests"
[ $failures -eq 0 ]
