# train --test: the error on another file at once.
. "$CASES/lib.sh"
m='--machine onelsm --sigma 1 --ridge 0.1'
three >three.csv
head -6 three.csv >some.csv
sed 's/^\([0-9.]*\),\([0-9.]*\)/\1,\2/; s/^\([0-9.]*\),/0\1,/' three.csv | sed '2s/a$/b/' >wrong.csv
awk -F, 'NR == 1 { print "y,x,class" } NR > 1 { print $2 + 0.5 "," $1 + 0.3 "," $3 }' three.csv >new.csv
said()
{
    sed -e 's/after .* s$/after TIME/'
}
t train three.csv -o m $m --test new.csv | said
t train three.csv -o m $m --test three.csv | said
t train three.csv -o m $m --test some.csv | said
t train three.csv -o m $m --test wrong.csv | said
t train three.csv -o m $m --test - <new.csv | said
"$POLYTOMY" eval m new.csv | head -3
"$POLYTOMY" train three.csv -o m $m --test new.csv --json | grep -A 8 '"test": {'
t train three.csv -o m $m --test new.csv --time 60 -q
echo "refused, and nothing written:"
sed 's/x,y/x,z/' three.csv >other.csv
cut -d, -f1,2 three.csv >bare.csv
rm m
t train three.csv -o m $m --test other.csv
t train three.csv -o m $m --test bare.csv
t train three.csv -o m $m --test missing.csv
t train three.csv -o m $m --test .
t train - -o m $m --test - <three.csv
t train three.csv -o m --online --test new.csv
ls
