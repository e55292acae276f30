# Coding matrices: made, read, drawn; and trained with.
. "$CASES/lib.sh"
t code ova -k 3
t code ovo -k 4 --info
t code complete -k 4 --show
t code ordinal -k 4 -q
t code hadamard -k 4 -o h.csv
cat h.csv
t code bch -k 16 --info
t code dense -k 4 --seed 3
t code sparse -k 8 --columns 12 --draws 200 --show
for threads in 1 2 3; do
    "$POLYTOMY" code sparse -k 30 --draws 900 --threads $threads -q >s$threads.csv
done
cmp s1.csv s2.csv && cmp s1.csv s3.csv && echo "threads do not matter"
"$POLYTOMY" code sparse -k 30 --draws 900 --seed 2 -q | cmp -s s1.csv - || echo "the seed does"
"$POLYTOMY" code dense -k 6 -q | "$POLYTOMY" code - --info | sed 1d >read
"$POLYTOMY" code dense -k 6 --info | sed 1d | cmp - read && echo "what is written is read"
"$POLYTOMY" code ovo -k 3 --json | grep -c -e '"rho": 2.0' -e '"row_separation": 1' -e '"matrix"'
t code dense -k 130 --draws 1 --columns 80 --show | sed -n '1,3p;132,135p'

# Names in front; columns that come again.
printf 'class,1,2,3\nc,1,1,-1\na,-1,0,1\nb,-1,-1,1\n' >named.csv
t code named.csv
t code named.csv --show -q

# Training with a file, rows by name or in order.
three >three.csv
printf 'c,-1,1\na,1,0\nb,-1,-1\n' >mine.csv
t train three.csv -o m --code mine.csv --sigma 2
t eval m three.csv -q
printf '1,0\n-1,-1\n-1,1\n' >order.csv
quiet train three.csv -o m2 --code order.csv --sigma 2
"$POLYTOMY" predict m three.csv --scores >p1
"$POLYTOMY" predict m2 three.csv --scores | cmp - p1 && echo "the same code, the same scores"
for code in ordinal hadamard complete sparse; do
    quiet train three.csv -o m --code $code --sigma 2
    "$POLYTOMY" eval m three.csv -q
done

# A search is not gone on with under another code.
quiet cv three.csv --code mine.csv --sigma 2 --folds 3 --resume r
printf 'c,-1,1\na,1,-1\nb,-1,-1\n' >mine.csv
t cv three.csv --code mine.csv --sigma 2 --folds 3 --resume r

# Faults.
t code
t code dense
t code denes -k 4
t code nothing -k 4
t code dense -k 1
t code dense -k x
t code complete -k 20
t code bch -k 5
t code bch -k 100 --columns 50
t code ova -k 4 --columns 3
t code dense -k 9 --columns 3
t code named.csv -k 3
t code named.csv --draws 3
t code ova -k 3 --show --json
t code named.csv -o named.csv
printf '1,0\n-1,x\n0,-1\n' >bad.csv
t code bad.csv
t train three.csv -o m --code bad.csv
t train three.csv -o m --code nowhere.csv
t train three.csv -o m --code mine.csv --columns 4
t train three.csv -o m --code ova --draws 4
printf '1,1\n-1,1\n' >two.csv
t train three.csv -o m --code two.csv
