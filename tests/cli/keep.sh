# predict --keep: columns of the file beside the predictions, text for text.
. "$CASES/lib.sh"
three >three.csv
quiet train three.csv -o model --sigma 1 --ridge 0.1
printf 'id,"a note, long",x,y,Name\n007,"say ""hi""\nto all",0,0.1, Ann \n1e3,,5,0,"B, C"\n"00,5",-,0,5,\n' >new.csv
t predict model new.csv --keep id -q
t predict model new.csv --keep Name,id,id -q
t predict model new.csv --keep 'a*' -q
t predict model new.csv --keep all -q
t predict model new.csv --keep 3,1 --top 2 -q
t predict model new.csv --keep id --rank -q
t predict model new.csv --keep id --reject 0.99999 --reject-label '' -q
t predict model new.csv --keep id --coverage 0.5 -q
t predict model new.csv --keep id --json -q | sed -n '/"kept_columns"/,$p'
"$POLYTOMY" predict model new.csv --keep id --proba -q | cut -c 1-12
"$POLYTOMY" predict model new.csv --keep id --scores -o kept -q
"$POLYTOMY" predict model new.csv --scores -q >bare
sed 's/^[^,"]*,//; s/^"[^"]*",//' kept | cmp - bare && echo "the same scores"
echo "other files:"
tail -n +2 three.csv | cut -d, -f1,2 | head -2 >nameless.csv
t predict model nameless.csv --keep 2 -q
tr , '\t' <three.csv | head -3 >three.tsv
t predict model three.tsv --keep class,x -q
sed 's/,/   /g' three.csv | head -3 >three.data
t predict model three.data --keep y -q
{ head -2 three.csv; head -1 three.csv; printf '# no row\n\n'; tail -1 three.csv; } >several.csv
t predict model several.csv --keep class --comment '#' -q
echo "as many as there are, in their order, part by part:"
awk 'BEGIN { print "id,x,y,text"; for (i = 0; i < 150000; i++) printf "%06d,%.2f,%.2f,\"%d\n%d\"\n", i, i % 50 / 10, i % 7, i, i * i % 11 }' >big.csv
gzip -k big.csv
"$POLYTOMY" predict model big.csv -q >labels
for file in big.csv big.csv.gz; do
    "$POLYTOMY" predict model $file --keep id -q --memory 60M --threads 2 -o kept
    { echo prediction; cat labels; } | cmp - <<END && echo "the same labels"
$(cut -d, -f2 kept)
END
    { echo id; seq -f %06.0f 0 149999; } >ids
    cut -d, -f1 kept | cmp - ids && echo "all of them"
done
awk 'BEGIN { print "text,id"; for (i = 0; i < 150000; i++) printf "\"%d\n%d\",%06d\n", i, i * i % 11, i }' >wanted
"$POLYTOMY" predict model big.csv --keep text,id -q --threads 1 | sed 's/,[abc]$//; s/,prediction$//' | cmp - wanted && echo "cells with line breaks, too"
rm big.csv* wanted ids labels kept bare
echo "refused:"
t predict model new.csv --keep idd -o out -q
t predict model new.csv --keep id,9 -q
t predict model new.csv --keep 'z*' -q
t predict model new.csv --keep '' -q
t predict model nameless.csv --keep id -q
quiet convert three.csv three.svm
t predict model three.svm --keep 1 -q
test -e out && echo "out is there"
ls
