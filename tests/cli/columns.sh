# Columns of real files: what they hold is seen, said, kept in the model and obeyed.
. "$CASES/lib.sh"
awk 'BEGIN {
    print "id;day;price;share;member;weight;class"
    for (i = 1; i <= 60; i++)
        printf "U%05d;%02d/%02d/2024;$%d.50;%d%%;%s;%d,%d;%s\n", 7 * i, i % 28 + 1, i % 5 + 1,
            i % 9, i, i % 2 ? "yes" : "no", i % 8, i % 10, i % 3 ? "a" : "b"
}' >shop.csv
"$POLYTOMY" train shop.csv -o m --sigma 3 --ridge 0.1 --calibrate no 2>&1 | sed '/wrote/d;/^held-out/d'
"$POLYTOMY" info m | sed -n '/^  columns:/,/^[a-z]/p' | grep "^  "
t eval m shop.csv -q
sed '1d' shop.csv >bare.csv
t eval m bare.csv -q --header no
cut -d';' -f 2-6 shop.csv | sed '2s/[^;]*/soon/;3s/no/perhaps/' >new.csv
"$POLYTOMY" predict m new.csv 2>&1 >/dev/null
sed '3s/;$2.50;/;2 dollars;/' shop.csv >wrong.csv
t predict m wrong.csv

# Words among numbers.
awk 'BEGIN { print "x,y,class"; for (i = 0; i < 60; i++)
    printf "%s,%s,%s\n", i % 6 ? i / 4 : "-", i % 5 ? i % 7 + 0.5 : "n.k.", i % 3 ? "a" : "NA" }' >gaps.csv
"$POLYTOMY" train gaps.csv -o g --sigma 1 --ridge 0.1 --calibrate no 2>&1 | sed '/wrote/d;/^held-out/d'
"$POLYTOMY" train gaps.csv -o g --sigma 1 --ridge 0.1 --na 'NA,-,n.k.' --skip-unlabelled 2>&1 | head -n 3
t train gaps.csv -o g --types y=number,z=date
t train gaps.csv -o g --sep half
t predict g gaps.csv --types y=nominal
t train gaps.csv -o g --online --types y=number
# Cells that a model cannot take are counted over all blocks of a file, in one line.
awk 'BEGIN { print "day,x,class"; for (i = 0; i < 60; i++) printf "2024-01-%02d,%d,%s\n", 1 + i % 28, i % 7, (i % 7 > 3 ? "a" : "b") }' >dated.csv
"$POLYTOMY" train dated.csv -o dated.m --machine tree -q >/dev/null
awk 'BEGIN { print "day,x"; for (i = 0; i < 120000; i++) print (i % 20000 == 10000 ? "soon" : "2024-02-03") "," i % 7 }' >late.csv
"$POLYTOMY" predict dated.m late.csv --threads 1 --memory 60M -o late.out 2>&1
"$POLYTOMY" predict dated.m late.csv -o late.whole 2>&1 && cmp late.out late.whole
# Rows that are there twice are no weights of the user's.
(cat dated.csv; tail -n 30 dated.csv) >twice.csv
"$POLYTOMY" train twice.csv -o twice.m --machine tree -q >/dev/null && "$POLYTOMY" info twice.m | grep -c weighted || :
# Nominal columns are in the model, with what --max-levels joined.
awk 'BEGIN { print "color,town,x,class"; for (i = 0; i < 60; i++) print (i % 3 ? "red" : "blue") ",t" int(i * i / 90) "," i % 7 "," (i % 7 > 3 ? "a" : "b") }' >towns.csv
"$POLYTOMY" train towns.csv -o towns.m --machine tree --max-levels 5 -q 2>&1
"$POLYTOMY" info towns.m | grep -E ' (nominal|max-levels):'
sed '2s/t0/t99/' towns.csv >moved.csv
t eval towns.m moved.csv -q | head -n 3
