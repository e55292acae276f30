# The first line once more among the rows: several files in one, or a header on every page.
. "$CASES/lib.sh"
# rows FIRST LAST: a number, a whole number, a word and a class of words, separated by $s
rows() { awk -v s="$s" "BEGIN { for (i = $1; i <= $2; i++) printf \"%d.%d%s%d%s%s%s%s\\n\", i % 7, i % 10, s, i % 9, s, substr(\"pqr\", i % 3 + 1, 1), s, i % 2 ? \"good\" : \"bad\" }"; }
look() { "$POLYTOMY" info "$@" 2>&1 | grep -E '^warning|rows,|:[0-9]+:'; }

s=,
(echo a,b,c,note; rows 1 20; echo a,b,c,note; rows 21 40) >pages.csv
look pages.csv
(echo a,b,c,note; echo a,b,c,note; rows 1 40) >twice.csv
look twice.csv
# a mark before the header of each file, and lines that end with CR
s=';'
for part in 1 21 41; do
    printf '\357\273\277'
    (echo 'Groesse;Gewicht;Farbe;Urteil'; rows $part $((part + 19))) | sed 's/$/\r/'
done >joined.csv
look joined.csv
# the header has a line break
s=,
(printf '"a","b","c","no\nte"\n'; rows 1 20; printf '"a","b","c","no\nte"\n'; rows 21 40) >broken.csv
look broken.csv
# words alone, below names that stand nowhere else
(echo name,colour,verdict; rows 1 20 | awk -F, '{ print $3 "," $4 "," $3 }'; echo name,colour,verdict) >words.csv
look words.csv
# rows that are there twice stay rows
rows 1 30 | awk -F, '{ print $3 "," $4 "," $3 } NR == 1 { first = $3 "," $4 "," $3 } END { print first }' >nominal.csv
look nominal.csv
rows 1 30 | awk -F, '{ print $2 "," $2 "," $4 } NR == 1 { first = $2 "," $2 "," $4 } END { print first }' >numbers.csv
look numbers.csv
