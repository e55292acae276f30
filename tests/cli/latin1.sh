# A file in Latin-1: names, units, levels and classes are shown; cells and classes keep their bytes.
command -v iconv >/dev/null || exit 77
. "$CASES/lib.sh"
awk 'BEGIN { print "temp\351rature,f\350ces,diagn\363stico"; for (i = 0; i < 30; i++)
    printf "%d.5 \260C,%s,%s\n", 30 + i % 7, i % 3 ? "gr\374n" : "blau", i % 2 ? "sant\351" : "gripe" }' >latin1.csv
utf8()
{
    iconv -f UTF-8 -t UTF-8 >/dev/null && echo UTF-8
}
"$POLYTOMY" info latin1.csv >out 2>err
echo "exit $?"
cat err
LC_ALL=C grep -a -e '^read as' -e '^  *[12]  ' out # classes are printed as they are
"$POLYTOMY" info latin1.csv --json >json 2>err
echo "exit $?"
utf8 <json
grep -e '"words"' -e '"unit"' json
# Its columns are not those of UTF-8, and the messages say why: named in training, and in prediction.
iconv -f LATIN1 -t UTF-8 latin1.csv >utf8.csv
name=$(head -n 1 utf8.csv | cut -d , -f 1)
"$POLYTOMY" info latin1.csv --ignore "$name" 2>&1 >/dev/null | tee err | grep -v '^warning'
utf8 <err
"$POLYTOMY" train latin1.csv -o latin1.model -q --sigma 1 --ridge 1
"$POLYTOMY" train utf8.csv -o utf8.model -q --sigma 1 --ridge 1
"$POLYTOMY" predict utf8.model latin1.csv 2>&1 | tee err
utf8 <err
"$POLYTOMY" predict latin1.model utf8.csv 2>&1 | tee err
utf8 <err
# Warnings that name such columns.
awk 'BEGIN { printf "x"; for (i = 0; i < 150; i++) printf "\303\251"; print ",class"
    for (i = 0; i < 30; i++) printf "0%d/0%d/2024,%s\n", i % 9 + 1, i % 8 + 1, i % 2 ? "a" : "b" }' >long.csv
"$POLYTOMY" info long.csv --json 2>/dev/null | utf8
"$POLYTOMY" info long.csv 2>&1 | utf8
