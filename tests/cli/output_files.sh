# What a file that is replaced was, it stays: its permissions, and a link to it. Long names have room for no ending.
. "$CASES/lib.sh"
three >three.csv
quiet train three.csv -o m --sigma 2 --ridge 1
echo old >real
chmod 600 real
ln -s real link
for command in "predict m three.csv" "train three.csv --sigma 2 --ridge 1"; do
    t $command -q -o link
    test -L link && grep -q . real && ! grep -q '^old$' real && echo "the link stays, its file is new"
    stat -c %a real
    echo old >real
done
long=$(printf 'x%.0s' $(seq 250))
t predict m three.csv -q -o "$long" | sed "s/$long/LONG/"
wc -l <"$long" | tr -d ' '
ls -A | sed "s/$long/LONG/"
# No file that the command reads is replaced, whichever option names it.
cp three.csv other.csv
printf '0,1,2\n1,0,1\n4,1,0\n' >costs.csv
printf 'a,1,1,0\nb,-1,0,1\nc,0,-1,-1\n' >code.csv
sums=$(cksum three.csv other.csv costs.csv code.csv m)
ln -s other.csv alias.csv
fast="-q --sigma 2 --ridge 1"
t train three.csv $fast --valid other.csv -o other.csv
t train three.csv $fast --valid other.csv -o alias.csv
t train three.csv $fast --test other.csv -o ./other.csv
t train three.csv $fast --costs costs.csv -o costs.csv
t train three.csv -q --code code.csv -o code.csv
t train three.csv -q --label-kernel costs.csv -o costs.csv
t train three.csv -q --machine onelsm:label-kernel=costs.csv -o costs.csv
t train three.csv -q --start m -o m
t predict m three.csv --costs costs.csv -o costs.csv
t cv three.csv $fast --costs costs.csv --predictions costs.csv
t cv three.csv $fast --costs costs.csv -o costs.csv
t cv three.csv -q --machine ls-ova --machine spoc:costs=costs.csv -o costs.csv
t cv three.csv $fast -o new --predictions ./new
t cv three.csv $fast --resume new -o ./new
t split three.csv other.csv three.csv --force
t convert other.csv alias.csv
test "$sums" = "$(cksum three.csv other.csv costs.csv code.csv m)" && echo "all as before"
ls -A new 2>/dev/null
# A word is no file, though there be one of its name.
t train three.csv -q --code dense --seed 1 -o dense
t train three.csv -q --code dense --seed 1 -o dense
