# Wrong use: exit code 2, what is wrong, and what would be right.
. "$CASES/lib.sh"
three >three.csv
t
t trian three.csv
t whatever
t train
t train three.csv
t train three.csv extra.csv -o m
t train three.csv -o
t train three.csv -o m --rigde 1
t train three.csv -o m --ridge
t train three.csv -o m --ridge --json
t train three.csv -o m --ridge 0
t train three.csv -o m --ridge=nan
t train three.csv -o m --kernel rfb
t train three.csv -o m --machine onelsn
t train three.csv -o m --machine onelsm:sigma=-1
t train three.csv -o m --folds 3
t train three.csv -o m --kernel linear --sigma 2
t train three.csv -o m --sigma 2 --rbf-gamma 1
t train three.csv -o m -x
t train three.csv -o -
t train three.csv -o three.csv
t cv three.csv -o ./three.csv
t train three.csv -o m --quiet=perhaps
t train three.csv -o m --ridge x --json
t train --no-such-option --json
t cv three.csv --folds 1
t cv three.csv --loo=perhaps
t predict m three.csv --scores --proba
t predict m three.csv --top 0
t predict - three.csv
t convert three.csv out.csv --to arff
t synth nothing -o x.csv
t synth ass
t synth ass -n -5 -o x.csv
t help nothing
t help ridgee
t help --completion tcsh
ls
