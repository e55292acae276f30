# Labels that are missing, and label columns that stand elsewhere.
. "$CASES/lib.sh"
three >three.csv
quiet train three.csv -o m --sigma 2 --ridge 0.1
sed '3s/,a$/,NA/;4s/,a$/,?/' three.csv >some.csv
t train some.csv -o n
t eval m some.csv -q
sed '2,$s/,[abc]$/,?/' three.csv >none.csv
t eval m none.csv -q
"$POLYTOMY" predict m none.csv | sort | uniq -c
