# A file in Latin-1: what is printed for people is UTF-8; cells and classes keep their bytes.
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
utf8 <out
grep -e '^read as' -e '^  *[0-9]*  ' out
"$POLYTOMY" info latin1.csv --json >json 2>err
echo "exit $?"
utf8 <json
grep -e '"words"' -e '"unit"' json
# Models, and what is said of them; a path, and bytes that would be control characters.
cp latin1.csv "l$(printf '\351').csv"
"$POLYTOMY" info "l$(printf '\351').csv" 2>/dev/null | head -1
"$POLYTOMY" train latin1.csv -o boost --learner adaboost --code ova --rounds 2 --calibrate no 2>&1 | utf8
"$POLYTOMY" train latin1.csv -o tree --machine tree --calibrate no -q 2>/dev/null
for model in boost tree; do
    "$POLYTOMY" info $model >out 2>err
    utf8 <out
    grep -e '^classes' -e '^column 1' -e '^    fèces' out
    "$POLYTOMY" info $model -v 2>&1 | utf8
    "$POLYTOMY" info $model --json 2>&1 | utf8
done
"$POLYTOMY" eval boost latin1.csv >out 2>&1
utf8 <out
grep -e '^ *class ' -e '^ *gripe ' -e '^ *santé ' -e ' : ' out
"$POLYTOMY" cv latin1.csv --machine onelsm --sigma 1 --ridge 1 2>/dev/null >out
utf8 <out
"$POLYTOMY" predict boost latin1.csv -o - 2>/dev/null | LC_ALL=C sort -u | iconv -f ISO-8859-1 -t UTF-8
printf 'x,class\n1,a\2332J\n2,\302\233b\n3,a\2332J\n4,\302\233b\n' >control.csv
"$POLYTOMY" info control.csv 2>/dev/null | grep '^  *[0-9]  '
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
