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
