# Separators at the end of lines without a header; labels that are amounts; numbers that the separator cuts.
. "$CASES/lib.sh"
awk 'BEGIN { for (i = 0; i < 60; i++) printf "%d,%d,%s,,\n", i % 7, i % 3 * 5 + i % 2, substr("abc", i % 3 + 1, 1) }' >open.csv
t train open.csv -o m --sigma 1 --ridge 0.1 --calibrate no
t eval m open.csv -q | head -n 2
head -n 2 open.csv | t predict m -
printf '1,2,\n2,3,\n' | t info - --label 3 # the label is said to be there
printf 'a,,class,,\n1,2,x,,\n2,3,y,,\n' | t info - # the second column has cells
# look FILE HEADER FORMAT CELLS: the first warning about 60 rows
look() {
    awk "BEGIN { if (\"$2\") print \"$2\"; for (i = 0; i < 60; i++) printf \"$3\\n\", $4 }" >"$1"
    echo "== $1: $(head -n 2 "$1" | tail -n 1)"
    "$POLYTOMY" info "$1" 2>&1 | grep -E 'class(es)? in|may be one|^polytomy' || true
}
look comma.csv 'a;b;y' '%d;%d;%d,5' 'i % 7, i % 3, i % 20'
look whole.csv 'a;b;y' '%d;%d;%s' 'i % 7, i % 3, i % 4 ? i % 20 ",5" : i'
look money.csv 'a,b,y' '%d,%d,$%d.50' 'i % 7, i % 3, i % 20'
look share.csv 'a,b,y' '%d,%d,%d%%' 'i % 7, i % 3, i % 20'
look date.csv 'a,b,y' '%d,%d,2024-01-%02d' 'i % 7, i % 3, i % 20 + 1'
look dose.csv 'a,b,y' '%d,%d,%d mg' 'i % 7, i % 3, i % 3 * 5'
look room.csv 'a,b,y' '%d,%d,%d%s' 'i % 7, i % 3, i % 20, i % 2 ? "a" : "b"'
look cut.csv '' '%d,%d kg,%s' 'i % 5, i % 10, i % 2 ? "a" : "b"'
look cut_label.csv '' '%d,%d kg' 'i % 5, i % 10'
look kg.csv '' '%d.5,%d kg,%s' 'i % 5, i % 10, i % 2 ? "a" : "b"'
