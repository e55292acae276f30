# Rows that are no rows for a person: cut off, remarks, quotes that nobody closed, no label, totals.
. "$CASES/lib.sh"
three >three.csv
# see TAIL [OPTIONS...]: what is said of a file with this behind its rows
see() {
    # shellcheck disable=SC2059 # it is a format
    (cat three.csv; printf "$1") >odd.csv
    shift
    "$POLYTOMY" info odd.csv "$@" 2>&1 | grep -E '^odd.csv:|left out'
}
see '1,2\n'
see '* values of May\n1,2,a\n'
see '* values of May, corrected\n'
see 'values of May\n1,2,a\n'
see '1,2,3,a\n'
see '1,2,\n1,2,a\n'
see '1,2,\n' --label class
sed '1s/class/note/' three.csv >note.csv
printf '1,2,\n' >>note.csv
t info note.csv
(echo 'x,y,note,class'; awk 'BEGIN { for (i = 0; i < 9; i++) print i ",1," (i == 3 ? "\"two" : "\"one\"") ",a"; print "1,2,\"x y\",b" }') >quote.csv
t info quote.csv
see '\001\002"q,1,a\n'
see '\001\002,a\n'
awk 'BEGIN { for (i = 0; i < 400; i++) printf "%c", i % 29 + 1 }' >noise.csv
t info noise.csv
# a sign with which rows begin makes no remark
(echo 'no,y,class'; awk 'BEGIN { for (i = 0; i < 9; i++) print "#" i "," i % 3 ",a" }') >numbered.csv
(cat numbered.csv; printf '#9,1,b\n#10,2\n#11,2,b\n') >odd.csv
t info odd.csv
(cat numbered.csv; printf '%% 9 rows\n#10,2,b\n') >odd.csv
t info odd.csv
# what stands below the table says nothing of the columns
(echo 'Pat.-Nr.;amp;class'; awk 'BEGIN { for (i = 0; i < 60; i++) print 4000 + int(i / 2) * 3 ";" i % 3 ",5;" substr("ab", i % 2 + 1, 1) }') >plain.csv
"$POLYTOMY" info plain.csv | sed 1d >plain
"$POLYTOMY" info plain.csv 2>&1 | grep '^warning'
(cat plain.csv; echo 'Rows: 60;none counted;') >foot.csv
"$POLYTOMY" info foot.csv --skip-unlabelled 2>&1 | grep '^warning'
"$POLYTOMY" info foot.csv --skip-unlabelled 2>/dev/null | sed 1d | cmp - plain && echo the same columns

# without a class, without a cell, with totals: predicted, counted, not compared
awk 'BEGIN { print "place,x,y,class"; for (i = 0; i < 45; i++) printf "%s,%d.%d,%d,%s\n", i % 2 ? "Mill" : "Total gas", i % 3 * 5, i % 9, i % 5, substr("abc", i % 3 + 1, 1) }' >all.csv
quiet train all.csv -o m --sigma 1 --ridge 1
(head -n 4 all.csv; echo ,,,; echo 'Mill,1,2,'; echo 'Total,,15,') >new.csv
t eval m new.csv -q
"$POLYTOMY" eval m new.csv 2>&1 | grep -E '^warning|^error'
"$POLYTOMY" eval m new.csv --json 2>/dev/null | grep -E '"n_(un)?l'
cut -d , -f 1-3 new.csv >bare.csv
t predict m bare.csv
# the same in a stream of several blocks
(cat bare.csv; for i in 1 2 3; do tail -n 45 all.csv; echo ,,,; done | cut -d , -f 1-3) | "$POLYTOMY" predict m - 2>&1 >/dev/null | grep -E 'separators|totals'
