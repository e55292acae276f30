# Sets, rankings and pairs: predict, eval, cv, compare.
. "$CASES/lib.sh"
# Every corner of a square has its set; one is empty, one name holds a comma.
sets()
{
    echo x,y,label
    for e in 0 0.1 0.2 0.3; do
        printf '%s\n' "1,1.$e,a;b" "-1,-1.$e," "1,-1.$e,a" "-1,1.$e,\"b;c,d\"" | sed 's/1\.0\./1./'
    done
}
# How true probabilities are is not exact.
not_exact()
{
    sed 's/\(error\|loss\|score\) [0-9.e+-]*\( %\)* \[[^]]*\]/\1 _/g'
}
sets >sets.csv
quiet train sets.csv -o s.model --labels set --machine constraint --C 10
t predict s.model sets.csv | sed 5q
t predict s.model sets.csv --top 1 | sed -n 4p
t predict s.model sets.csv --rank | sed -n 2p | tr -d '"' | tr '>' '\n' | sort
"$POLYTOMY" predict s.model sets.csv --proba | awk -F, 'NR == 1 { print } NR > 1 { print ($1 > 0.5), ($2 > 0.5), ($3 > 0.5) }' | sed 5q
"$POLYTOMY" predict s.model sets.csv --json | tr -d ' \n' | grep -o '"labels":\[\[.*\]\]' | cut -c1-60
t eval s.model sets.csv | not_exact
# What is predicted is read again, and is right.
cut -d, -f1-2 sets.csv | sed 1d >rows
"$POLYTOMY" predict s.model sets.csv | paste -d, rows - >again.csv
t eval s.model again.csv -q
# Some wrong, and a class that the model does not know.
printf 'x,y,label\n2,0.7,a\n-0.7,-2,a;z\n1,-1,a\n-1,1,\n' >other.csv
t eval s.model other.csv | not_exact
"$POLYTOMY" eval s.model other.csv --json 2>/dev/null | grep -e '"labels":.*set' -e n_unknown -e '"error"' -e _f1 -e hamming -e coverage -e one_error -e n_labelled -e confusion
t eval s.model other.csv --confusion
# Other kinds of labels.
three >three.csv
quiet train three.csv -o c.model --sigma 2 --ridge 2^-4
printf 'x,y,class\n0,0,a>b=c\n5,0,b>c\n0,5,c>a>b\n5,0,a>b>c\n' >rankings.csv
printf 'x,y,class\n0,0,a>b;a>c\n5,0,c>b\n0,5,c>a;c>b\n' >pairs.csv
t eval c.model three.csv --labels set
t eval s.model sets.csv --labels class
t eval c.model pairs.csv --labels pairs
t eval c.model rankings.csv --labels ranking -q
# Models of rankings and pairs.
printf 'x,y,class\n' >r.csv
for e in 0 0.1 0.2 0.3 0.4; do
    printf '%s\n' "0.$e,0,a>b>c" "5.$e,0,b>c>a" "0.$e,5,c>a>b" | sed 's/\.0\././' >>r.csv
done
sed 's/\(.*\),\(.\)>\(.\)>\(.\)$/\1,\2>\3;\2>\4/' r.csv >p.csv
quiet train r.csv -o r.model --labels ranking --machine constraint --C 10
quiet train p.csv -o p.model --labels pairs --machine constraint --C 10
t predict r.model r.csv | sed 4q
t predict r.model r.csv --top 2 | sed 4q
t predict p.model p.csv | cut -d'>' -f1 | sed 4q
t predict r.model r.csv --proba
t eval r.model r.csv
t eval p.model p.csv
t eval r.model p.csv --labels pairs -q
t eval r.model three.csv --labels class -q
t cv r.csv --labels ranking --machine constraint --grid C=1,10 --folds 3 --metric kendall-tau
t cv sets.csv --labels set --machine constraint:C=10 --machine constraint:C=20 --folds 4 --metric hamming-loss -q
t cv sets.csv --labels set --machine constraint --metric kendall-tau
t compare sets.csv --labels set --machine constraint:C=10 --machine constraint:C=11 --test again.csv | grep -e difference -e 'with a label' -e halvings
