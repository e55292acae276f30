# LIBSVM's command lines: the options, the files, the words.
. "$CASES/lib.sh"
"$POLYTOMY" convert -q "$DATA/iris.csv" - --to libsvm |
    sed -e 's/^setosa/3/' -e 's/^versicolor/1/' -e 's/^virginica/2/' >iris
# How many support vectors there are, a little more or less, is up to the solver.
about()
{
    sed -e 's/nSV = .*/nSV = #/' -e 's/^rho.*/rho #/' -e 's/^total_sv.*/total_sv #/' -e 's/^nr_sv.*/nr_sv #/'
}
mkdir sub
cp iris sub/train
t svm-train sub/train | about
ls
head -n 8 train.model | about
t svm-predict iris train.model out
sort out | uniq -c
t svm-predict -q iris train.model out
for options in "-t 0" "-t 1 -d 2 -g 0.5 -r 1" "-t 3 -g 0.01 -r -1 -c 0.5" "-s 0 -t 2 -g 0.5 -e 0.01" \
    "-w1 2 -w3 0.5 -w9 1 -m 50 -h 0 -b 0"; do
    # shellcheck disable=SC2086
    t svm-train $options iris model | about
    head -n 6 model | grep -e kernel -e degree -e gamma -e coef0
    "$POLYTOMY" svm-predict iris model out
    # LIBSVM's own program takes the same decisions, where there is one
    if command -v svm-predict >/dev/null; then
        svm-predict iris model theirs >words && cmp out theirs
    fi
done
t svm-train -v 5 -c 10 iris
t svm-train -q -v 3 -t 0 iris
# probabilities
t svm-train -b 1 iris proba.model | about
cut -d ' ' -f 1 proba.model | sed '/^SV/q'
t svm-predict -b 1 iris proba.model out
head -n 1 out
awk 'NR > 1 { sum = $2 + $3 + $4; best = $2 > $3 ? ($2 > $4 ? 3 : 2) : ($3 > $4 ? 1 : 2)
              if (sum < 0.99999 || sum > 1.00001 || best != $1) print "wrong:", $0 }' out
t svm-predict -b 1 iris train.model out
t svm-predict iris proba.model out
head -n 1 out
# of two labels +1 is the first, however it is written
awk '{ $1 = ($1 == 3) ? "-1" : "+1"; print }' iris >two
t svm-train -w1 3 two | about
grep label two.model
t svm-predict two two.model out
# a precomputed kernel
printf '1 0:1 1:2 2:0 3:1\n-1 0:2 1:0 2:2 3:-1\n1 0:3 1:1 2:-1 3:3\n' >square
t svm-train -t 4 square
cat square.model
t svm-predict square square.model out
cat out
sed 's/0:2/0:5/' square >wrong
t svm-train -t 4 wrong
# What there is not
t svm-train -s 3 iris
t svm-train -t 5 iris
t svm-train -b 2 iris
t svm-train -h x iris
t svm-train -c 0 iris
t svm-train -g -1 iris
t svm-train -d 0 -t 1 iris
t svm-train -e 0 iris
t svm-train -v 1 iris
t svm-train -w 2 iris
t svm-train -w1 x iris
t svm-train -w1
t svm-train -m none iris
t svm-train -p 0.1 iris
t svm-train iris model third
t svm-train iris iris
t svm-train missing
t svm-predict iris model
t svm-predict iris iris out
t svm-predict iris model iris
t svm-predict -b 3 iris model out
