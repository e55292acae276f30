# Evaluation: error, classes, confusion, margins.
. "$CASES/lib.sh"
three >three.csv
quiet train three.csv -o m --sigma 2 --ridge 2^-4
# The margins and probabilities themselves are not exact.
not_exact()
{
    sed -e '/by quantile$/{n;n;d;}' -e 's/\(error\|loss\|score\) [0-9.e-]*\( %\)* \[[^]]*\]/\1 _/g'
}
t eval m three.csv | not_exact
printf 'x,y,class\n0,0,b\n5,0,b\n0,5,c\n0,5,zebra\n' >other.csv
t eval m other.csv | not_exact
t eval m other.csv -q
printf 'x,y\n0,0\n' >unlabelled.csv
t eval m unlabelled.csv
"$POLYTOMY" eval m other.csv --json 2>/dev/null | grep -e '"error"' -e '"expected_error"' -e '"n_labelled"'
# Two classes.
three | grep -v c$ >two.csv
quiet train two.csv -o m --sigma 2 --ridge 1
"$POLYTOMY" eval m two.csv | head -n 2
# More classes than a matrix is shown for.
awk 'BEGIN { print "x,class"; for (i = 0; i < 20; i++) for (j = 0; j < 3; j++) print i + j / 9 "," i }' >many.csv
quiet train many.csv -o m --sigma 5 --ridge 10
"$POLYTOMY" eval m many.csv >out
grep -c 'taken for' out
"$POLYTOMY" eval m many.csv --confusion | grep -c '^confusion'
# Names of classes are cut by characters, not by bytes.
printf 'x,class\n0,Erk\303\244ltung\n1,Erk\303\244ltung\n5,Pneumonie\n6,Pneumonie\n' >ill.csv
printf '9,\303\244\303\244\303\244\303\244\303\244\303\244\303\244\303\244\303\244\303\244\303\244\303\244\303\244x\n' >>ill.csv
printf '9,\303\244\303\244\303\244\303\244\303\244\303\244\303\244\303\244\303\244\303\244\303\244\303\244\303\244x\n' >>ill.csv
quiet train ill.csv -o m --sigma 1 --ridge 0.1
"$POLYTOMY" eval m ill.csv | grep -A 1 '^confusion'
