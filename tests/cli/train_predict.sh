# From a file to a model to predictions, in all their forms.
. "$CASES/lib.sh"
three >three.csv
printf 'x,y\n0.5,0\n5,0.3\n0,4\n' >new.csv
t train three.csv -o m --sigma 2 --ridge 2^-4
t train three.csv -o m2 --machine onelsm:sigma=2,ridge=2^-4 -q
cmp m m2 && echo "the same model"
t predict m new.csv
t predict m new.csv --top 2
t predict m new.csv --rank
t predict m new.csv --proba -o proba.csv
awk -F, 'NR == 1 { print; next } { s = $1 + $2 + $3; if (s < 0.999999 || s > 1.000001) print "sum", s }
    { best = 1; for (i = 2; i <= 3; i++) if ($i > $best) best = i; print "best", best }' proba.csv
"$POLYTOMY" predict m new.csv --scores | head -n 1
"$POLYTOMY" predict m new.csv --scores | wc -l | tr -d ' '
t predict m - <new.csv
"$POLYTOMY" train - -o m3 -q --sigma 2 --ridge 2^-4 <three.csv  &&
    "$POLYTOMY" predict m3 new.csv
"$POLYTOMY" predict m new.csv --json | grep -A4 '"labels": \['
"$POLYTOMY" predict m new.csv --json -o labels.txt | grep -c '"labels": \['
cat labels.txt
for threads in 1 2; do
    quiet train three.csv -o t$threads --threads $threads
done
cmp t1 t2 && echo "threads do not matter"
# Options after and before arguments, and -- before a name with a dash.
cp three.csv ./-three.csv
t train --ridge=1 --sigma=1 -q -o m4 -- -three.csv
# Names that need quotes.
printf 'x,class\n1,"a,1"\n2,"a,1"\n8,"say ""b"""\n9,"say ""b"""\n' >quotes.csv
quiet train quotes.csv -o q --sigma 1 --ridge 1
t predict q quotes.csv
"$POLYTOMY" predict q quotes.csv --scores | head -n 1
ls
