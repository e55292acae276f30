#!/bin/bash
# The library does not print and does not end the program: it imports nothing that could. What the
# sources call is looked at by scripts/check_includes.py; this sees what macros and inline functions
# have made of it. Files that the caller names are written with write and fwrite, C strings made
# with snprintf and vsnprintf.
#     silent.sh libpolytomy.so BUILD-TYPE
set -euo pipefail
library=$1 type=$2

forbidden='(v|f|vf|d|vd|w|__)?printf(_chk)?|__v?f?printf_chk|f?puts|f?putc|putchar|putc_unlocked|perror|psignal|v?(err|warn)x?|
error|syslog|stdout|stderr|stdin|exit|_exit|_Exit|quick_exit|at_quick_exit|atexit|on_exit|abort|raise|kill|pthread_kill|pthread_exit|
signal|sigaction|system|popen|fork|exec[lv]p?e?|longjmp|siglongjmp|rand|srand|random|setlocale|setenv|putenv|chdir|umask|_ZSt9terminatev'
forbidden=$(echo "$forbidden" | tr -d '\n')
# Assertions are for our own mistakes, and not in what people install.
[ "$type" != Release ] || forbidden="$forbidden|__assert_fail|__assert_rtn"

imported=$(nm -D --undefined-only "$library" | awk '{ sub(/@.*/, "", $NF); print $NF }' | sort -u)
[ "$(echo "$imported" | wc -l)" -gt 50 ] || { echo "what is imported was not found"; exit 1; }
echo "$imported" | grep -qx vsnprintf || { echo "what is imported was not understood"; exit 1; }
if echo "$imported" | grep -xE "$forbidden"; then
    echo "the library must not need these"
    exit 1
fi
echo "$(echo "$imported" | wc -l) imports, none that prints or ends the program"
