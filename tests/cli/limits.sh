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
"$POLYTOMY" train big.csv -o m --machine tree --memory 700k 2>&1 | grep -o "a copy in order.*"
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
