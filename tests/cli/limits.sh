# Memory, time, numbers: refused with the reason, before the machine is.
. "$CASES/lib.sh"
three >three.csv
t train three.csv -o m --sigma 1 --ridge 1 --memory 1
t train three.csv -o m --sigma 1 --ridge 1 --memory 1k
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
