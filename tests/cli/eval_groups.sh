# Rows in groups are drawn group by group: eval, importance, train --test.
. "$CASES/lib.sh"
awk 'BEGIN { print "who,day,x,y,class"
    for (i = 0; i < 60; i++)
        print "p" i "," i "," (i % 3) + (i * 7 % 13) / 6 "," (i % 2) + (i * 5 % 11) / 7 "," substr("abc", i % 3 + 1, 1) }' >once.csv
awk 'NR == 1 { print; next } { for (c = 0; c < 20; c++) print }' once.csv >twenty.csv
m='--machine onelsm --sigma 1 --ridge 0.1'
quiet train once.csv -o m $m --ignore who,day
intervals() # FILE OPTIONS...: the figures with their intervals, which are the same however many copies
{
    file=$1
    shift
    "$POLYTOMY" eval m "$file" --intervals 200 "$@" 2>&1 | grep '\[' | sed 's/ ([0-9]* of [0-9]*)//'
}
intervals twenty.csv >rows
intervals twenty.csv --group who | tee groups
cmp -s rows groups && echo "groups change nothing"
intervals once.csv --group who | cmp - groups && echo "as the rows without their copies"
"$POLYTOMY" eval m twenty.csv --group who --intervals 200 --threads 1 | grep '\[' | sed 's/ ([0-9]* of [0-9]*)//' | cmp - groups && echo "on one thread"
"$POLYTOMY" eval m twenty.csv --group who --intervals 0 | grep -c '\['
echo "other columns say nothing of intervals:"
intervals twenty.csv --fold day | cmp - rows && intervals twenty.csv --time-column day | cmp - rows && echo same
echo "a file without the column:"
cut -d, -f3- twenty.csv >bare.csv
intervals bare.csv --group who | cmp - rows && echo same
echo "other formats:"
sed 's/^p//; s/,a$/,1/; s/,b$/,2/; s/,c$/,3/; 1d' twenty.csv >numbers.csv
quiet train numbers.csv -o n $m --ignore 1,2
{
    echo "@relation r"
    for name in who day x y class; do echo "@attribute $name numeric"; done | sed 's/class numeric/class {1,2,3}/'
    echo "@data"
    cat numbers.csv
} >numbers.arff
for file in numbers.csv numbers.arff; do
    "$POLYTOMY" eval n $file --group 1 --ignore 2 --intervals 200 -q
    "$POLYTOMY" eval n $file --ignore 1,2 -q
done
echo "importance, and train --test:"
"$POLYTOMY" importance m twenty.csv 2>/dev/null | tail -n 2
"$POLYTOMY" importance m twenty.csv --group who 2>/dev/null | tail -n 2
awk '{ print } NR == 2' once.csv >most.csv # one group has two rows
"$POLYTOMY" train most.csv -o k $m --ignore day --group who --test twenty.csv 2>&1 | grep '\['
"$POLYTOMY" train most.csv -o k $m --ignore who,day --test twenty.csv 2>&1 | grep '\['
echo "part by part:"
awk 'BEGIN { print "who,x,y,class"; for (i = 0; i < 120000; i++) print "p" i % 60 "," i % 3 + 0.123456 ",1," substr("abc", i % 3 + 1, 1) }' >long.csv
"$POLYTOMY" eval m long.csv -q --memory 10M
t eval m long.csv --group who --memory 10M | grep -v quantile
echo "the same pairs, whole and part by part:"
for memory in 10M 2G; do "$POLYTOMY" eval m long.csv --intervals 0 --memory $memory 2>/dev/null | grep violated; done
rm -f long.csv
