# vo-LSSVM: its ridge under two names, its bias, its held-out scores.
. "$CASES/lib.sh"
three >three.csv
common="--machine vo-lssvm --sigma 2"
quiet train three.csv -o a $common --ridge 2^-4
quiet train three.csv -o b $common --C 16
"$POLYTOMY" predict a three.csv --scores -q >a.csv
"$POLYTOMY" predict b three.csv --scores -q >b.csv
cmp a.csv b.csv && echo "the same scores"
t train three.csv -o m $common --ridge 1 --C 1
t train three.csv -o m $common --ridge 1 --bias-rule penalised
t train three.csv -o m $common --ridge 1 --bias
t train three.csv -o m $common --ridge 1 --bias --bias-rule mean --labelbook mincorr
t train three.csv -o m --machine onelsm --bias
quiet train three.csv -o m $common --ridge 1 --bias --labelbook mincorr
"$POLYTOMY" eval m three.csv -q
quiet train three.csv -o m $common --bias --bias-rule penalised
"$POLYTOMY" eval m three.csv -q

# Closed form, and brute force where the label vectors or the bias depend on the fold.
for more in "--labelbook indicator" "--labelbook fisher" "--labelbook mincorr --bias"; do
    "$POLYTOMY" cv three.csv $common $more --folds 5 --grid C=1,4 -q --json |
        tr -d ' \n' | grep -o '"method":"[^"]*"\|"error":[0-9.]*' | head -n 2
done
