# Memory, time, numbers: refused with the reason, before the machine is.
. "$CASES/lib.sh"
three >three.csv
t train three.csv -o m --sigma 1 --ridge 1 --memory 1
t train three.csv -o m --sigma 1 --ridge 1 --memory 2k
"$POLYTOMY" synth ass -n 20000 -o big.csv -q
"$POLYTOMY" train big.csv -o m --sigma 1 --ridge 1 --memory 20M >out 2>&1
echo "exit $?"
grep -c -- --memory out
"$POLYTOMY" train big.csv -o m --memory 20M >out 2>&1 # before anything is chosen
echo "exit $?"
grep -c 'training needs' out
"$POLYTOMY" train big.csv -o m --sigma 1 --ridge 1 --time 0.2 >out 2>&1
echo "exit $?"
grep -c -- --time out
# Advice that fits: trees and boosting have no kernel.
"$POLYTOMY" train big.csv -o m --machine tree --merge no --memory 700k 2>&1 | grep -o 'raise --memory.*'
"$POLYTOMY" train big.csv -o m --learner adaboost --merge no --memory 700k 2>&1 | grep -o 'raise --memory.*'
"$POLYTOMY" train big.csv -o m --learner linear-svm --merge no --memory 700k 2>&1 | grep -o 'raise --memory.*'
# Sorted and merged first: that copy counts too.
"$POLYTOMY" train big.csv -o m --machine tree --memory 700k 2>&1 | grep -o "the order of their rows.*"
"$POLYTOMY" train "$DATA/iris.csv" -o m --learner adaboost --code ova --rounds 1000000 --time 1 2>&1 | grep -c "of 1000000 rounds"
# Numbers beyond float32: raw rows are not scaled.
three | sed '2s/^0/1e308/' >huge.csv
t train huge.csv -o m --machine tree
quiet train huge.csv -o m --machine tree --precision double
"$POLYTOMY" predict m huge.csv | uniq -c
rm -f m huge.csv
# Kernels that are not positive definite, and a ridge too small to mend it.
t train three.csv -o m --kernel sigmoid --coef0 -1 --ridge 1e-12
printf '0,1,2,a\n1,0,5,b\n2,5,0,a\n' >distances.csv
t train distances.csv -o m --kernel precomputed --ridge 0.001
printf '0,1,2,a\n1,0,5,b\n' >not_square.csv
t train not_square.csv -o m --kernel precomputed --ridge 1
t train not_square.csv -o m --kernel precomputed
t train three.csv -o m --sigma 1e-200 --ridge 1
[ ! -e m ] || "$POLYTOMY" predict m three.csv | head -n 1
ls
# What does not fit as a whole is evaluated part by part: the same figures, of codes less.
"$POLYTOMY" synth ass -n 60000 --seed 2 -o test.csv -q
"$POLYTOMY" train big.csv -o tree --machine tree --calibrate no -q --depth 6 2>/dev/null
"$POLYTOMY" train big.csv -o code --machine code --learner logistic --calibrate no -q 2>/dev/null
for m in tree code; do
    "$POLYTOMY" eval $m test.csv --threads 1 | sed '/^$/q' >whole.txt
    "$POLYTOMY" eval $m test.csv --memory 4M --threads 2 2>err | sed '/^$/q' >parts.txt
    cat err
    sed 1d parts.txt >rest.txt; sed 1d whole.txt | cmp - rest.txt && echo "$m: the same figures"
done
"$POLYTOMY" eval tree test.csv --json | grep -A 20 '"margins"' >whole.txt
"$POLYTOMY" eval tree test.csv --json --memory 4M 2>/dev/null | grep -A 20 '"margins"' | cmp - whole.txt && echo "the same margins"
sed '2s/[^,]*$/stranger/; 3s/[^,]*$/alien/' test.csv >strange.csv
"$POLYTOMY" eval tree strange.csv --memory 4M 2>/dev/null | grep 'never saw'
"$POLYTOMY" eval tree big.csv --memory 2M -q | cut -d ' ' -f 1
cat test.csv | "$POLYTOMY" eval tree - --memory 4M 2>&1 | cut -c 1-40
# The way out of what is to be predicted is another than that of training.
(echo '@relation r'; for j in 1 2 3 4 5 6 7 8 9; do echo "@attribute a$j numeric"; done; echo '@attribute class {a,b}'; echo '@data'
awk 'BEGIN { for (i = 0; i < 20000; i++) print "1,2,3,4,5,6,7,8," i % 5 "," (i % 5 < 2 ? "a" : "b") }') >many.arff
head -n 40 many.arff >some.arff
"$POLYTOMY" train some.arff -o s --machine tree --calibrate no -q 2>/dev/null
t predict s many.arff --memory 1M
t train many.arff -o s --machine tree --memory 1M
