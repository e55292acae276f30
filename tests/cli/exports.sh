# Files that programs export, in which nothing may be read otherwise than a person would without a word.
. "$CASES/lib.sh"
look() {
    echo "== $*"
    "$POLYTOMY" info "$@" 2>&1 | grep -E '^warning|^polytomy|:.*error|^ +[0-9]+  .*(, |left out)|label:'
}
# table FILE HEADER FORMAT CELLS...: 60 rows of two cells that awk's expressions make, and a class
table() {
    awk -v header="$2" "BEGIN { if (header) print header
        for (i = 0; i < 60; i++) printf \"$3\\n\", $4, substr(\"xyz\", i % 3 + 1, 1) }" >"$1"
}

# columns without a name between others are no place for others when the model is used
table blank.csv 'x,,y,class,,' '%d.5,,%d,%s,,' 'i * 7 % 11, i * 5 % 13'
"$POLYTOMY" train blank.csv -o m -q --machine tree --calibrate no 2>/dev/null
"$POLYTOMY" eval m blank.csv 2>&1 | head -n 2
printf 'y,,class\n3,1,x\n' >other.csv # not x by its place
"$POLYTOMY" predict m other.csv
# a row of R's write.table alone
awk 'BEGIN { print "x,class"; for (i = 0; i < 60; i++) printf "s%d,%d.5,%s\n", i, i * 7 % 11, substr("xyz", i % 3 + 1, 1) }' >named.csv
"$POLYTOMY" train named.csv -o n -q --machine tree --calibrate no 2>/dev/null
head -n 2 named.csv | "$POLYTOMY" predict n - 2>/dev/null

# dates that stand for none, births, stamps without signs, answers that are none
table never.csv 'end,born,class' '%s,%d/%d/%02d,%s' 'i % 9 ? "2024-05-" i % 19 + 10 : "9999-12-31", i % 12 + 1, i % 28 + 1, i * 7 % 60 + 20'
look never.csv
"$POLYTOMY" info never.csv --na +9999-12-31 2>/dev/null | grep ' end'
table stamps.csv 'at,q,class' '202405%02d12%02d00,%s,%s' 'i % 28 + 1, i % 60, i % 7 ? i % 5 + 1 : i % 2 ? 99 : 88'
look stamps.csv
look stamps.csv --types at=date --na +88,99
table months.csv 'when,x,class' '%d %s 2024,%d.5,%s' 'i % 20 + 1, i % 2 ? "sausio" : "kovo", i * 7 % 11'
look months.csv
table dutch.csv 'when,log,class' '%d %s 2024,[%02d/May/2024:12:00:00 +0200],%s' 'i % 28 + 1, substr("januari  februari maart    ", i % 3 * 9 + 1, 9), i % 28 + 1'
look dutch.csv

# keys too long for numbers, rows of a small table, amounts that look like names of rows
table keys.csv 'tweet,group,place,class' '17%09d12345678,17%017d,\"%d.25, 11.%d\",%s' 'i * 7777, i % 9, 40 + i, i * 7'
look keys.csv
head -n 21 named.csv | awk -F, 'NR == 1 { print "id,x,class" } NR > 1 { print NR + 50 "," $2 "," $3 }' >few.csv
look few.csv
# a ledger
table ledger.csv 'usd,share,class' ' $ %s ,%s½,%s' 'i % 4 ? i ".50" : i % 8 ? "-  " : "(" i ".00)", i % 5'
look ledger.csv

# a second line of SurveyMonkey; single quotes; decimal commas that cut cells; LIBSVM under another name
awk 'NR == 1 { print "id,age,own,class"; print ",Open-Ended Response,Car,Response" } NR > 1 { split($0, c, ","); printf "%d,%d,%s,%s\n", NR * 7919, NR % 50 + 18, NR % 2 ? "Car" : "", c[3] }' named.csv >monkey.csv
look monkey.csv
sed "s/[^,]*/'&'/g" never.csv >single.csv
look single.csv
table cut.csv 'a,b,class' '%d,5,%d,25,%s' 'i, i * 7 % 11'
look cut.csv
awk 'BEGIN { for (i = 0; i < 60; i++) printf "%d 1:%d.5 3:0.%d\n", i % 3, i, i * 7 % 11 }' >vectors.csv
look vectors.csv

# labels: as the first column of a file without names, lists of few texts, yes and no in several columns
awk 'BEGIN { for (i = 0; i < 60; i++) printf "%s,%d.5,%d,%d\n", substr("xyz", i % 3 + 1, 1), i, i % 7, i * 5 % 9 }' >first.csv
look first.csv
awk 'BEGIN { print "x,tags"; for (i = 0; i < 60; i++) printf "%d.5,\"[\"\"a\"\", \"\"%s\"\"]\"\n", i, substr("bcd", i % 3 + 1, 1) }' >lists.csv
look lists.csv
awk 'BEGIN { print "x,is_a,is_b,is_c"; for (i = 0; i < 60; i++) printf "%d.5,%s,%s,%s\n", i, i % 3 ? "False" : "True", i % 3 == 1 ? "True" : "False", i % 3 == 2 ? "True" : "False" }' >truths.csv
look truths.csv
