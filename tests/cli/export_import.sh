# Models to and from LIBSVM's model files.
. "$CASES/lib.sh"
three >three.csv
svm="--code ovo --learner svm --kernel rbf --rbf-gamma 0.5"
# shellcheck disable=SC2086
quiet train three.csv -o plain $svm --scale none
t export plain --to libsvm -o plain.libsvm
sed -e 's/^rho.*/rho .../' -e '/^SV/q' plain.libsvm
t import plain.libsvm -o back
"$POLYTOMY" predict back three.csv | tr '\n' ' '
echo
"$POLYTOMY" export back --to libsvm -o - | cmp - plain.libsvm && echo "the same file again"
# shellcheck disable=SC2086
quiet train three.csv -o scaled $svm
t export scaled --to libsvm -o scaled.libsvm
t export scaled --to libsvm -o scaled.libsvm --range scaled.range
cat scaled.range
t export plain --to libsvm -o plain.gz --json | grep '"model"'
t import plain.gz -o back
# What cannot be
quiet train three.csv -o other --sigma 2 --ridge 1
t export other --to libsvm -o x
t export plain --to libsvm -o x --range y
t export plain --to onnx -o x
t export plain --to libsvm
t export plain --to libsvm -o plain
t export three.csv --to libsvm -o x
t import three.csv -o x
t import plain.libsvm -o x --from nothing
t import plain.libsvm -o x --features 0
t import plain.libsvm
t import missing -o x
sed 's/^gamma.*/gamma none/' plain.libsvm >bad
t import bad -o x
sed 's/rbf/laplacian/' plain.libsvm >bad
t import bad -o x
sed 's/c_svc/one_class/' plain.libsvm >bad
t import bad -o x
head -n 10 plain.libsvm >bad
t import bad -o x
ls
