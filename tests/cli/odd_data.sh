# Data files that are odd and good all the same.
. "$CASES/lib.sh"
good() # NAME: trains on it and evaluates
{
    quiet train "$@" -o m --sigma 1 --ridge 0.1
    "$POLYTOMY" eval m "$@" 2>&1 | grep -v "these very rows" | head -n 2
}
three >three.csv
sed 's/$/\r/' three.csv >crlf.csv
good crlf.csv
{ printf '\357\273\277'; three; } >bom.csv
good bom.csv
"$POLYTOMY" predict m bom.csv | sort -u
printf '%s' "$(three)" >no_newline.csv
good no_newline.csv
{ three; sed '1d;s/a$/b/' three.csv; } >contradiction.csv
good contradiction.csv
sed 's/^/7,/' three.csv | sed '1s/7/constant/' >constant.csv
good constant.csv
three | grep -v c$ >two.csv
good two.csv
three | tr , '\t' >three.tsv
good three.tsv
three | sed 1d >no_header.csv
good no_header.csv
three | gzip -c >three.csv.gz
good three.csv.gz
good three.csv --header yes --label 3
three | sed 's/,a$/,"a b; c"/' >spaces.csv
good spaces.csv
