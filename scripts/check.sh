#!/bin/bash
# `make check`: everything that must hold before a change goes in. Each stage writes its log to
# build/check/; a stage that fails shows the end of its log, the others still run. Ends with a
# table (stage, tests, skipped, seconds) and with the sum of all ctest runs in ctest's own words.
#     JOBS=2 FUZZ_SECONDS=5 scripts/check.sh [STAGE...]     all stages, or those named
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
jobs=${JOBS:-2}
fuzz_seconds=${FUZZ_SECONDS:-5}
logs=build/check
mkdir -p "$logs"

# ---- the stages: a function each, which may set `tests` and `skipped` ---------------------------

stage_release() { # the build that users get, and the whole suite
    scripts/build.sh release "$jobs" || return 1
    if ctest --test-dir build -N -L unit | grep -q 'Total Tests: 0'; then
        echo "there are no unit tests: libcmocka-dev is missing"
        return 1
    fi
    run_ctest build -LE 'slow|example|packaging'
}
stage_examples() { # examples/ in the build tree, and against an installed library
    scripts/build.sh release "$jobs" && run_ctest build -L 'example|packaging'
}
stage_gcc() { # no warning from gcc
    scripts/build.sh gcc "$jobs"
}
stage_clang() { # no warning from clang
    scripts/build.sh clang "$jobs"
}
stage_format() {
    local files
    files=$(c_files include src cli examples tests fuzz bench)
    echo "$files" | xargs clang-format --dry-run -Werror && tests=$(echo "$files" | wc -l)
}
stage_tidy() { # clang-tidy reads the flags of the clang build
    [ -f build-clang/compile_commands.json ] || cmake --preset clang || return 1
    local files
    files=$(c_files src cli examples | grep '\.c$')
    echo "$files" | xargs -P "$jobs" -n 1 clang-tidy -p build-clang --quiet && tests=$(echo "$files" | wc -l)
}
stage_cppcheck() {
    cppcheck --quiet --std=c11 --language=c --error-exitcode=1 -j "$jobs" --inline-suppr \
        --enable=warning,performance,portability --suppress=missingIncludeSystem \
        --suppressions-list=scripts/cppcheck.supp --library=posix -D_POSIX_C_SOURCE=200809L -DPT_ISA=base -I include -I src -i src/solvers/program/guard.cpp src cli examples
}
stage_includes() {
    scripts/check_includes.py
}
# Memory that cannot be had is NULL, as without sanitizers: there are tests of that.
asan=detect_leaks=1:detect_stack_use_after_return=1:allocator_may_return_null=1
stage_asan() { # addresses, undefined behaviour, leaks
    scripts/build.sh asan "$jobs" &&
    ASAN_OPTIONS=$asan UBSAN_OPTIONS=print_stacktrace=1 run_ctest build-asan -LE 'slow|headers'
}
tsan=ignore_noninstrumented_modules=1:halt_on_error=1:allocator_may_return_null=1
stage_tsan() { # data races; archer tells TSan what OpenMP orders
    local archer
    archer=$(find /usr/lib/llvm-*/lib -name libarcher.so 2>/dev/null | sort -V | tail -n 1)
    [ -n "$archer" ] || { echo "libarcher.so is missing; it comes with libomp-dev"; return 1; }
    scripts/build.sh tsan "$jobs" &&
    OMP_TOOL_LIBRARIES=$archer TSAN_OPTIONS=$tsan \
        run_ctest build-tsan -L threads
}
stage_fuzz() { # each target a few seconds, from its kept inputs
    scripts/build.sh fuzz "$jobs" || return 1
    local target name corpus fresh failed=0
    tests=0
    for target in build-fuzz/fuzz/fuzz_*; do
        if [ ! -f "$target" ] || [ ! -x "$target" ]; then continue; fi
        name=$(basename "$target")
        corpus=fuzz/corpus/${name#fuzz_}
        [ -d "$corpus" ] || { echo "$name has no kept inputs in $corpus"; return 1; }
        fresh=$(mktemp -d) # what it finds on the way goes here, not into the tree
        echo "== $name"
        ASAN_OPTIONS=$asan "$target" -max_total_time="$fuzz_seconds" -timeout=10 -rss_limit_mb=2048 \
            -artifact_prefix="$logs/$name-" -print_final_stats=1 "$fresh" "$corpus" 2>&1 |
            tail -n 40 || failed=1
        rm -rf "$fresh"
        tests=$((tests + 1))
    done
    return $failed
}

stages=(release examples gcc clang format tidy cppcheck includes asan tsan fuzz)
declare -A title=(
    [release]="release build, whole suite" [examples]="examples, installed library"
    [gcc]="gcc -Werror" [clang]="clang -Werror" [format]="clang-format" [tidy]="clang-tidy"
    [cppcheck]="cppcheck" [includes]="include order, banned calls" [asan]="suite, ASan and UBSan"
    [tsan]="threads, TSan with archer" [fuzz]="fuzz targets, ${fuzz_seconds} s each"
)

# ---- how a stage is run and counted -------------------------------------------------------------

c_files() { # tracked and new C files of some folders
    git ls-files --cached --others --exclude-standard "${@/%//*.[ch]}" | while read -r file; do
        [ ! -f "$file" ] || echo "$file"
    done
}

run_ctest() { # BUILD-DIR ARGUMENTS...: runs ctest, reads the counts off its output
    local folder=$1 out status
    shift
    out=$(mktemp)
    ctest --test-dir "$folder" --output-on-failure --no-tests=ignore -j "$jobs" "$@" | tee "$out"
    status=${PIPESTATUS[0]}
    tests=$(sed -n 's/.* tests failed out of \([0-9]*\).*/\1/p' "$out" | tail -n 1)
    tests=${tests:-0}
    skipped=$(grep -c '\*\*\*Skipped' "$out")
    failed_tests=$(sed -n 's/.* \([0-9]*\) tests failed out of .*/\1/p' "$out" | tail -n 1)
    rm -f "$out"
    return "$status"
}

run_stage() { # NAME: runs it with its log, adds a row to the table
    local name=$1 log="$logs/$1.log" start=$SECONDS verdict=ok
    tests=- skipped=- failed_tests=0
    printf '%-32s ' "${title[$name]}"
    # Not in a subshell: the stage's counts are wanted here.
    if ! "stage_$name" >"$log" 2>&1; then
        verdict=FAILED
        failures=$((failures + 1))
    fi
    local seconds=$((SECONDS - start))
    rows+=("$(printf '%-32s %6s %8s %8s  %s' "${title[$name]}" "$tests" "$skipped" "$seconds" "$verdict")")
    echo "$verdict, $seconds s"
    if [ "$verdict" = FAILED ]; then
        tail -n 60 "$log"
        echo "(all of it: $log)"
    fi
    case $name in
    release | examples | asan | tsan)
        all_tests=$((all_tests + tests))
        all_failed=$((all_failed + ${failed_tests:-0}))
        ;;
    esac
}

rows=() failures=0 all_tests=0 all_failed=0
begin=$SECONDS
for name in "$@"; do
    [ -n "${title[$name]:-}" ] || { echo "there is no stage '$name'; stages: ${stages[*]}" >&2; exit 2; }
done
[ $# -eq 0 ] || stages=("$@")
for stage in "${stages[@]}"; do
    run_stage "$stage"
done

echo
printf '%-32s %6s %8s %8s\n' stage tests skipped seconds
printf '%s\n' "${rows[@]}"
printf '%-32s %6s %8s %8s  %s\n' total "$all_tests" "" $((SECONDS - begin)) \
    "$([ $failures -eq 0 ] && echo ok || echo "$failures stages FAILED")"
passed=100
[ "$all_failed" -eq 0 ] || passed=$(((all_tests - all_failed) * 100 / all_tests))
echo "$passed% tests passed, $all_failed tests failed out of $all_tests"
[ $failures -eq 0 ]
