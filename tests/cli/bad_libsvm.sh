# LIBSVM files: indices, numbers, lines.
. "$CASES/lib.sh"
bad()
{
    t train "$@" -o m --kernel linear --ridge 1
    [ ! -e m ] || { echo "a model was written"; rm m; }
}
printf '1 1:1\n2 0:1 2:1\n' >zero.svm
bad zero.svm
printf '1 1:1\n2 3:1 2:1\n' >descending.svm
bad descending.svm
printf '1 1:1\n2 3:1 3:1\n' >twice.svm
bad twice.svm
printf '1 1:1\n2 99999999999999999999:1\n' >overflow.svm
bad overflow.svm
printf '1 1:1\n2 -1:1\n' >negative.svm
bad negative.svm
printf '1 1:1\n2 2:x\n' >word.svm
bad word.svm
printf '1 1:1\n2 2\n' >no_colon.svm
bad no_colon.svm
printf '1 1:1\n2 2:nan\n' >nan.svm
bad nan.svm
printf '1 1:1\n2 2:1e400\n' >huge.svm
bad huge.svm
# An index above 2^31 is an index.
printf '1 1:1\n2 4294967297:1\n1 1:2\n2 4294967297:2\n' >far.svm
quiet train far.svm -o m --kernel linear --ridge 1
t predict m far.svm
