# Numbers with several units in a column, beside a few words; --types where most cells would be lost.
. "$CASES/lib.sh"
# units FILE UNITS...: 120 rows, a number with one of the units by turns, and a class; more by standard input
units() {
    file=$1
    shift
    (echo 'p;q;class'; awk -v units="$*" 'BEGIN { n = split(units, u, " ")
        for (i = 0; i < 120; i++) printf "%d,%d %s;%d;%s\n", i % 50 + 3, i % 10, u[i % n + 1], i % 7, i % 2 ? "x" : "y" }'; cat) >"$file"
}
look() { "$POLYTOMY" info "$@" 2>&1 | grep -E '^warning: (column|--na|.p.)|^ +1  |--types'; }

echo '-;1;x' | units dash.csv bar kPa
look dash.csv
(yes 'nicht gemessen;1;x' | head -n 5; echo '-999;2;y'; echo '-999;2;x') | units words.csv bar kPa
look words.csv
look words.csv --na '+nicht gemessen,+-999'
units three.csv kg g t </dev/null
look three.csv --types p=number
look words.csv --types p=number
# units that are levels, and one unit alone, are as before
echo 'p;q;class' >few.csv
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do echo "$((i % 3)) rooms;$i;x"; echo "$((i % 2)) flats;$i;y"; done >>few.csv
look few.csv
yes -- '-999;1;x' | head -n 7 | units one.csv bar
look one.csv --na +-999
look one.csv --types p=number --na +-999
"$POLYTOMY" train one.csv --na +-999 -o m -q
printf 'p;q\n5,5 bar;1\n730 kPa;1\n' | "$POLYTOMY" predict m - 2>&1
# bare numbers, some with units
awk 'BEGIN { print "p,q,class"; for (i = 0; i < 120; i++) printf "%d%s,%d,%s\n", i % 90, i % 20 ? i % 20 == 1 ? " kPa" : "" : " bar", i % 7, i % 2 ? "x" : "y" }' >bare.csv
look bare.csv
