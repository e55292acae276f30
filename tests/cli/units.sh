# Units and frames: what training saw holds for prediction, part by part as well.
. "$CASES/lib.sh"
awk 'BEGIN { print "mass,class"; for (i = 0; i < 60; i++) printf "%.1f kg,%s\n", i / 3 + i % 7, i % 3 ? "a" : "b" }' >kg.csv
t train kg.csv -o m --sigma 1 --ridge 0.1 --calibrate no -q
t info m | grep -A 1 "kind: number"
sed 's/ kg//' kg.csv >bare.csv
"$POLYTOMY" predict m kg.csv >p1
"$POLYTOMY" predict m bare.csv >p2
cmp p1 p2 && echo "with and without the unit: the same"
sed '3s/kg/lb/' kg.csv >lb.csv
t predict m lb.csv
awk 'BEGIN { print "+-----+-------+"; print "| x   | class |"; print "+-----+-------+"
    for (i = 0; i < 60; i++) printf "| %d | %s |\n", i * 7 % 11, i % 3 ? "a" : "b"
    print "+-----+-------+"; print "60 rows in set" }' >framed.txt
awk 'BEGIN { print "x|class"; for (i = 0; i < 60; i++) printf "%d|%s\n", i * 7 % 11, i % 3 ? "a" : "b" }' >plain.txt
for f in framed plain; do
    "$POLYTOMY" train $f.txt -o $f.model --sigma 1 --ridge 0.1 --calibrate no -q 2>/dev/null
    "$POLYTOMY" predict $f.model framed.txt 2>/dev/null >$f.out
    "$POLYTOMY" train --online $f.txt -o $f.online -q 2>/dev/null
    "$POLYTOMY" predict $f.online framed.txt 2>/dev/null >>$f.out
done
cmp framed.out plain.out && wc -l <plain.out | tr -d ' '
