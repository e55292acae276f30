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

# two sorts of cells in one column: what they are, and what becomes of it
table sorts.csv 'a,b,class' '%s,%s,%s' 'i % 3 ? "$" i : i "%", i % 3 ? "2024-05-" i % 19 + 10 : i % 24 ":30"'
look sorts.csv
table stamps.csv 'a,b,class' '%s,%s,%s' 'i < 40 ? 20240510 + i % 19 : "2024-05-" i % 19 + 10, i < 40 ? i % 24 ":30" : i / 4'
look stamps.csv
awk 'BEGIN { print "a,b,class"; for (i = 0; i < 180; i++) printf "%s,%d.5,%s\n", i < 140 ? i / 8 : "p" i, i % 7, i % 2 ? "x" : "y" }' >late.csv
look late.csv

# --types, --decimal and --text are obeyed, or refused with a reason
look stamps.csv --types a=date,b=text
table flat.csv 'a,b,class' '%d,%s,%s' '20240510 + i % 19, i % 2 ? "up" : "down"'
look flat.csv --types a=date
for types in b=date b=number b=boolean class=number; do
    t info flat.csv --types $types
done
look numbers.csv --label a --types b=boolean
look sorts.csv --decimal comma
awk 'BEGIN { print "note,b,class"; for (i = 0; i < 60; i++) printf "it is %d,%d.5,%s\n", i % 9, i % 7, i % 2 ? "x" : "y" }' >note.csv
look note.csv --text --types note=text
look note.csv --decimal comma

# weights with decimal commas
awk '{ print (NR == 1 ? "w" : NR % 3 ",5") ";" $0 }' semicolons.csv >weights.csv
"$POLYTOMY" train weights.csv -o m -q --weight w --sigma 1 --ridge 0.1 2>/dev/null && echo trained
sed '3s/^[^;]*/heavy/' weights.csv >heavy.csv
t train heavy.csv -o m -q --weight w 2>&1 | grep weight

# --na +WORD adds to the usual words
table gaps.csv 'a,b,class' '%s,%s,%s' 'i % 6 ? i / 4 : -999, i % 5 ? i % 7 : "NA"'
look gaps.csv
look gaps.csv --na -999
look gaps.csv --na +-999

# dates: dashes may part days and months both ways, months have no weekday
table dates.csv 'a,b,class' '%s,%s,%s' 'i % 9 + 1 "-" i % 8 + 1 "-24", "2024/" i % 12 + 1'
look dates.csv

# semicolons: a lone 1,875 is a decimal comma; three digits behind a point are not thousands
table three.csv 'a;b;class' '%s;%s;%s' 'i % 7 + 1 ",875", i'
look three.csv
table points.csv 'a;b;class' '%s;%s;%s' 'i % 7 + 1 ".875", i % 5'
look points.csv

# numbers that count the rows, in any order; cells such as 007 far below; one value or nothing
awk 'BEGIN { print "nr,code,mark,class"; for (i = 0; i < 211; i++)
    printf "%d,%s,%s,%s\n", i * 17 % 211, i < 150 ? i % 9 + 10 : "00" i % 9, i % 3 ? "" : "Y", i % 2 ? "x" : "y" }' >nr.csv
look nr.csv
awk 'BEGIN { print "nr,class"; for (i = 0; i < 60; i++) printf "%d,%s\n", i, i % 2 ? "x" : "y" }' >only.csv
look only.csv

# the order that --types names holds for every cell, those without signs too; what is no date in it is said
table compact.csv 'v,x,class' '%02d%02d2024,%.1f,%s' 'i % 28 + 1, i % 12 + 1, i / 4'
look compact.csv --types v=dmy
look compact.csv --types v=mdy
table iso.csv 'v,x,class' '2024-%02d-%02d,%.1f,%s' 'i % 12 + 1, i % 28 + 1, i / 4'
t info iso.csv --types v=dmy
table orders.csv 'v,x,class' '%s,%.1f,%s' 'i % 2 ? "2024-05-" i % 9 + 10 : i % 9 + 10 ".05.2024", i / 4'
look orders.csv
look orders.csv --types v=dmy

# a y beside an x is a coordinate, elsewhere the label; one that lacks a cell is named
table place.csv 'x,y,sold' '%d,%.1f,%s' 'i % 7, i / 4'
look place.csv
printf 'y,a,b\n1,2,u\n,3,v\n' >first.csv
t info first.csv
# units that begin with a percent sign or have a minus, amounts that are no numbers
table humid.csv 'h,v,class' '%.1f %%RH,%d m s-1,%s' 'i / 7, i % 9'
look humid.csv
table amounts.csv 'age,dose,class' '%s,<%.2f,%s' 'i % 20 "-" i % 20 + 5, i / 70'
look amounts.csv
look amounts.csv --types age=nominal,dose=nominal
table groups.csv 'age,dose,class' '%s,%.2f,%s' 'i % 4 * 10 "-" i % 4 * 10 + 9, i / 70'
look groups.csv
# levels with commas are told apart
table bars.csv 'a|b|class' '%s|%d|%s' 'i % 2 ? "u, v" : "w", i % 7'
look bars.csv
# the last of the words that spaces part is a class, or, where it is always the same, a unit
table unit.csv '' '%d,%d kg' 'i % 3, i % 7'
look unit.csv
table sorted.csv '' '%d,%d %s' 'i % 3, i % 7, i < 30 ? "kg" : "lb"'
look sorted.csv
# times as the French and as typists write them; names that differ in what cannot be seen
table hours.csv 'a,b,class' '%dh%02d,%s,%s' 'i % 24, i % 60, i % 12 + 1 ":15 " (i % 2 ? "a.m." : "p.m.")'
look hours.csv
awk 'BEGIN { print "colour,v,class"; for (i = 0; i < 60; i++)
    printf "%s,%d,%s%s\n", i % 2 ? "red" : i % 3 ? "Red" : "dark  blue", i, i % 3 ? "low" : "high", i % 6 ? "" : "\342\200\213" }' >blanks.csv
look blanks.csv | sed 's/\xe2\x80\x8b/<zero width>/'
printf 'a,kind,note\n1,u,\n2,v,late\n' >note_last.csv
t info note_last.csv

# what looks like a header, a counter or names, and is none; and the other way round
few() { awk 'BEGIN { for (i = 0; i < 60; i++) printf "%d,%d,%d,%s\n", i * 7 % 11, i * 5 % 13, i * 3 % 7, substr("abc", i % 3 + 1, 1) }'; }
(echo 8,6,4,b; few) >even.csv # a row by chance: others are larger
(echo 900,800,700,kind; few) >steps.csv
(printf '# three words here,now,and,then\nx,y,z,kind\n'; few) >remark.csv
(printf '# 60,4,0,1\n'; few) >figures.csv
awk 'BEGIN { print "town,x,class"; for (i = 0; i < 12; i++) printf "t%d,%d,%s\n", i, i * 5 % 7, substr("abc", i % 3 + 1, 1) }' >towns.csv
awk 'BEGIN { print "age,x,class"; for (i = 0; i < 200; i++) printf "%d,%d,%s\n", i * 37 % 90, i * 5 % 7, substr("abc", i % 3 + 1, 1) }' >ages.csv
awk 'BEGIN { print "x,class"; for (i = 0; i < 60; i++) printf "%d,%s %s\n", i * 5 % 7, substr("redblu", i % 2 * 3 + 1, 3), i % 3 ? "small" : "large" }' >grid.csv
for file in even steps remark figures towns ages grid; do
    echo "== $file.csv"
    "$POLYTOMY" info $file.csv 2>&1 | grep -E '^warning|rows,|^ +[0-9]+  .*,'
done

# months, quarters and weeks of a year are dates; Jul-23 may be a day, which --types settles
table periods.csv 'a,b,class' '%s,%s,%s' 'i % 2 + 2023 " Q" i % 4 + 1, sprintf("%d-W%02d", i % 2 + 2023, i % 52 + 1)'
look periods.csv
table months.csv 'a,b,class' '%s-%d,%d %s,%s' 'substr("JanFebMar", i % 3 * 3 + 1, 3), i % 9 + 18, i % 9 + 2015, substr("JanFebMar", i % 3 * 3 + 1, 3)'
look months.csv
look months.csv --types a=md
sed '3s/-[0-9]*/-98/' months.csv >years.csv # no 98th day: years
look years.csv
table days.csv 'a,b,class' '%d-%s,%s %d 12:00:05,%s' 'i % 28 + 1, substr("JanFebMar", i % 3 * 3 + 1, 3), substr("JanFebMar", i % 3 * 3 + 1, 3), i % 28 + 1'
look days.csv
"$POLYTOMY" train days.csv -o m -q --sigma 1 --ridge 0.1 2>/dev/null
head -n 2 days.csv | "$POLYTOMY" predict m - 2>/dev/null
table yyyymm.csv 'a,b,class' '%d%02d,%d set,%s' 'i % 9 + 2015, i % 12 + 1, i % 7'
look yyyymm.csv
look yyyymm.csv --types a=date
table sales.csv 'Jan-23,Feb-23,kind' '%d,%d.5,%s' 'i * 7 % 11, i % 9'
look sales.csv

# times between two times, zones as Go writes them, NaT, addresses; yes and no as four classes
table spans.csv 'a,b,class' '%d days %02d:30:00,%s,%s' 'i % 9, i % 24, i % 5 ? "2024-05-" i % 19 + 10 " 12:00:00 +0000 UTC" : "NaT"'
look spans.csv
table address.csv 'ip,b,class' '10.0.%d.%d,%d,%s' 'i % 2, i % 11, i * 7 % 13'
look address.csv
awk -F, 'BEGIN { OFS = "," } NR > 1 { $3 = NR % 2 ? NR % 3 > 0 : NR % 3 ? "True" : "False" } 1' same.csv >truths.csv
look truths.csv
