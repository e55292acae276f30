# Kernels on the labels, labelbooks and decision rules.
. "$CASES/lib.sh"
three >three.csv
common="--sigma 2 --ridge 2^-4"
for decode in inner nearest wta hamming bayes; do
    quiet train three.csv -o m $common --decode $decode
    "$POLYTOMY" eval m three.csv -q
done
t train three.csv -o m $common --labelbook mincorr --decode wta
t train three.csv -o m $common --label-kernel rbf --decode hamming
t train three.csv -o m $common --label-sigma 2
t train three.csv -o m $common --label-kernel poly --label-sigma 2

# A matrix of one's own: c is close to b. The scores of c follow those of b.
printf ',c,a,b\na,0,1,0\nb,0.9,0,1\nc,1,0,0.9\n' >near.csv
quiet train three.csv -o near $common --labelbook pm1 --label-kernel rbf
mkdir deep
mv near.csv deep
quiet train three.csv -o near $common --label-kernel deep/near.csv
"$POLYTOMY" eval near three.csv -q
"$POLYTOMY" info near | grep label-kernel
rm -r deep
"$POLYTOMY" predict near three.csv --scores | awk -F, 'NR == 1 || NR == 7 { print } NR == 7 { print ($2 > 0.5 && $3 > 0.5 && $1 < 0.1) }' | sed '2d'

# Files with faults.
t train three.csv -o m --label-kernel nowhere.csv
printf '1,0\n0,1\n' >small.csv
t train three.csv -o m --label-kernel small.csv
printf '1,0,0\n0,1,x\n0,0,1\n' >word.csv
t train three.csv -o m --label-kernel word.csv
printf '1,0,2\n0,1,0\n2,0,1\n' >indefinite.csv
t train three.csv -o m --label-kernel indefinite.csv
printf '1,0,0\n0,1,0\n2,0,1\n' >lopsided.csv
t train three.csv -o m --label-kernel lopsided.csv
t train three.csv -o m --label-kernel indefinite.csv --labelbook pm1
