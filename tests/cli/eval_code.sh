# Evaluation of a code: columns, bounds, decoding margins. The numbers are masked: they are not exact.
. "$CASES/lib.sh"
three >three.csv
masked()
{
    sed -n -e '/^code/,$p' | sed -E -e 's/-?[0-9]+\.[0-9]+(e[+-]?[0-9]+)?/_/g' -e 's/  +/ /g'
}
quiet train three.csv -o pairs --code ovo --sigma 2
"$POLYTOMY" eval pairs three.csv | masked | sed -e '/^decoding margin/,$d'
quiet train three.csv -o all --code ova --sigma 2 --decode exp
"$POLYTOMY" eval all three.csv | masked | sed -e '/^decoding margin/{n;q;}'
"$POLYTOMY" eval pairs three.csv -q
"$POLYTOMY" eval pairs three.csv --json >out
sed -n -e '/"code": {/,/"per_column"/p' out | grep -o '"[a-z_]*":' | sort -u | tr -d '\n'
echo
grep -c first_plus out
# More columns than are shown.
awk 'BEGIN { print "x,class"; for (i = 0; i < 6; i++) for (j = 0; j < 5; j++) print i + j / 9 "," i }' >many.csv
quiet train many.csv -o m --code ovo --sigma 2
"$POLYTOMY" eval m many.csv | grep -A 100 'the worst columns' | grep -c ' : '
"$POLYTOMY" eval m many.csv -v | grep -A 100 '^columns$' | grep -c ' : '
# Coupling says its probabilities itself: without calibration they are its scores, with 1/(15+2) of 1/3 each.
quiet train three.csv -o m --code ovo --sigma 2 --decode coupling --calibrate no
"$POLYTOMY" predict m three.csv --scores | awk -F, 'NR > 1 { for (i = 1; i <= 3; i++) printf "%.6f ", $i * 16 / 17 + 1 / 51; print "" }' >a
"$POLYTOMY" predict m three.csv --proba | awk -F, 'NR > 1 { for (i = 1; i <= 3; i++) printf "%.6f ", $i; print "" }' >b
cmp a b && echo same
t train three.csv -o m --code ovo --sigma 2 --decode vote --coupling-slope 1
t train three.csv -o m --code ova --sigma 2 --decode dag
# Losses beyond the range of doubles.
printf 'x,y,class\n1e5,-1e5,a\n-1e5,-1e5,b\n1e5,1e5,c\n0,0,a\n' >huge.csv
quiet train three.csv -o m --code ova --learner linear-svm --decode exp
"$POLYTOMY" eval m huge.csv | grep -c -e '> 1.8e308' -e '< -1.8e308'
"$POLYTOMY" eval m huge.csv | grep -c -i -w -e inf -e nan
"$POLYTOMY" eval m huge.csv --json | grep -c null
