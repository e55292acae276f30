# Files that could be read in two ways: the reading that fits all lines and cells, or a doubt that is said.
. "$CASES/lib.sh"
look() {
    echo "== $1"
    "$POLYTOMY" info "$@" 2>&1 | grep -E '^warning|^polytomy|:.*error|^ +[0-9]+  .*(, |left out)|label:|^look at: [^0-9]'
}
# table FILE HEADER FORMAT CELLS...: 60 rows of two cells that awk's expressions make, and a class
table() {
    awk -v header="$2" "BEGIN { if (header) print header
        for (i = 0; i < 60; i++) printf \"$3\\n\", $4, substr(\"xyz\", i % 3 + 1, 1) }" >"$1"
}

# letters of two vocabularies are levels, those of one are a boolean, whole words may mix
table letters.csv 'a,b,class' '%s,%s,%s' 'substr("NFY", i % 3 + 1, 1), substr("ny", i % 2 + 1, 1)'
look letters.csv
table switch.csv 'a,b,class' '%s,%s,%s' 'i % 3 ? "on" : "off", i % 5 ? "Y" : i % 2 ? "no" : "0"'
look switch.csv

# a separator at the end of the rows alone
table open.csv 'a,b,class' '%d,%.1f,%s,' 'i % 7, i / 4'
look open.csv
"$POLYTOMY" train open.csv -o m -q --sigma 1 --ridge 0.1 2>/dev/null
head -n 2 open.csv | "$POLYTOMY" predict m - 2>/dev/null
# one name less, and the first cells name nothing
table less.csv 'b,class' '%s,%.1f,%s' 'i % 2 ? "u" : "v", i / 4'
look less.csv

# separators and decimal commas
table semicolons.csv 'size, cm;weight;class' '%d,5;%d,25;%s' 'i, i % 7'
look semicolons.csv
table spaces.csv 'a b class' '%d,5 %d,25 %s' 'i, i % 7'
look spaces.csv
table tabs.csv '' '%d,5\t%d,25\t%s' 'i, i % 7'
look tabs.csv
table body.csv 'a;b;class' '%d,5;%d,25;%s' 'i, i % 7'
(echo 'Measured in May, all of them'; cat body.csv) >title.csv
look title.csv
table words.csv 'full name,home town,class' 'Ann B%d,New T%d,%s' 'i % 4, i % 5'
look words.csv

# labels
table same.csv 'a,b,class' '%d,%d,%s' 'i % 9, i % 4'
awk -F, 'BEGIN { OFS = "," } NR > 1 { $3 = NR % 3 (NR % 2 ? "" : ".0") } 1' same.csv >numbers.csv
look numbers.csv
awk 'BEGIN { print "species,length,age"; for (i = 0; i < 60; i++) printf "%s,%d.5,%d\n", i % 3 ? "cat" : "dog", i % 7, i * 7 % 25 }' >age.csv
look age.csv
look age.csv --label species
