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
        tr -d ' \n' | grep -o '"method":"[cb][^"]*"\|"error":[0-9.]*' | head -n 2
done

# A joint kernel: a block of n columns for each class.
t train three.csv -o m --machine onelsm --kernel joint
t train three.csv -o m --machine vo-lssvm --kernel joint
awk -F, 'NR > 1 { n++; x[n] = $1; y[n] = $2; c[n] = $3 }
    END { split("a b c", name, " ")
        for (i = 1; i <= n; i++) {
            for (r = 1; r <= 3; r++)
                for (j = 1; j <= n; j++)
                    printf "%.9g,", (name[r] == c[j]) * exp(-((x[i] - x[j])^2 + (y[i] - y[j])^2) / 8)
            print c[i]
        } }' three.csv >joint.csv
quiet train joint.csv -o joint --machine vo-lssvm --kernel joint
"$POLYTOMY" eval joint joint.csv -q
"$POLYTOMY" cv joint.csv --machine vo-lssvm --kernel joint --grid C=1,4 --folds 5 -q

# A class of one row: the fold that holds it out has no biased machine.
{ three && echo 2,2,d; } >four.csv
t cv four.csv $common --ridge 0.1 --labelbook mincorr --bias --folds 2
t cv four.csv $common --ridge 0.1 --labelbook mincorr --bias --bias-rule penalised --folds 2
t train four.csv -o m $common --ridge 0.1 --labelbook mincorr --bias
