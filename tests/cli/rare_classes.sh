# Classes of hardly any rows: misspelled, perhaps, or too few to test; and most rows in one class.
. "$CASES/lib.sh"
# classes FILE NAME COUNT...: so many rows of each class
classes() {
    file=$1
    shift
    (echo a,b,class; while [ $# -gt 0 ]; do
        awk -v name="$1" -v n="$2" 'BEGIN { for (i = 0; i < n; i++) printf "%d,%d.5,%s\n", i * 7 % 31, i % 9 + length(name), name }'
        shift 2
    done) >"$file"
}
look() { "$POLYTOMY" info "$1" 2>&1 | grep -E '^warning: .*class'; }
classes swap.csv worn 50 ok 90 wron 1
look swap.csv
classes ends.csv 'Zustand gut' 60 'Zustand gur' 2 kleiner 45 klener 1 setosa 40 setosas 2
look ends.csv
# these are other names
classes names.csv 'grade a' 50 'grade b' 1 male 40 female 2 cat 60 bat 1 type1 40 type2 1
look names.csv
classes few.csv worn 10 wron 2 ok 9
look few.csv
quiet train swap.csv -o m --sigma 1 --ridge 1
"$POLYTOMY" cv swap.csv --sigma 1 --ridge 1 2>&1 | grep -E "^always|misspelled"
"$POLYTOMY" cv few.csv --sigma 1 --ridge 1 2>/dev/null | grep '^always'
"$POLYTOMY" cv swap.csv --machine onelsm --machine tree --metric macro-f1 2>/dev/null | grep -E '^always|^machine|^nested|^best' | sed 's/[0-9][0-9.]\{2,\}/#/g'
