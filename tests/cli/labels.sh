# Labels that are missing, and label columns that stand elsewhere.
. "$CASES/lib.sh"
three >three.csv
quiet train three.csv -o m --sigma 2 --ridge 0.1
sed '3s/,a$/,/;4s/,a$/,/' three.csv >some.csv
t train some.csv -o n
"$POLYTOMY" train some.csv -o n --skip-unlabelled --sigma 2 --ridge 0.1 2>&1 | head -n 2
t eval m some.csv -q
sed '2,$s/,[abc]$/,/' three.csv >none.csv
t eval m none.csv -q
"$POLYTOMY" predict m none.csv | sort | uniq -c

# Without names the model remembers where the label was.
three | awk -F, 'NR > 1 { print $3 "," $1 "," $2 }' >first.csv
quiet train first.csv -o f --label 1 --sigma 2 --ridge 0.1
t eval f first.csv -q
"$POLYTOMY" predict f first.csv | sort | uniq -c
cut -d, -f 2,3 first.csv >bare.csv
"$POLYTOMY" predict f bare.csv | sort | uniq -c

# Patterns that mean no column.
t train three.csv -o n --ignore 'id*'
t train three.csv -o n --nominal z
