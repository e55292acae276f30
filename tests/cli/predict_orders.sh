# --rank and --top of a model of classes: a line is one cell of CSV, quoted as a whole.
. "$CASES/lib.sh"
three | sed -e 's/,b$/,"b,1"/' -e 's/,c$/,c;2/' >three.csv
quiet train three.csv -o m --sigma 2 --ridge 2^-4
printf 'x,y\n0,0\n5,0\n0,5\n' >new.csv
t predict m new.csv
t predict m new.csv --top 1
t predict m new.csv --top 2
t predict m new.csv --rank -q | cut -d'>' -f1
t predict m new.csv --top 99 -q | tr -cd ';"\n'
"$POLYTOMY" predict m new.csv --top 2 --json 2>&1 | tr -d ' \n' | grep -o '"warnings":\[\]\|"labels":\[[^]]*\]\|"top":\[\[[^]]*\]'
echo
t predict m new.csv --top 0
# Metrics of classes: what --metric chooses by.
three >three.csv
t cv three.csv --grid ridge=2^-4,1e9 --sigma 2 --metric macro-f1 | sed 's/[0-9.]* s$/# s/'
t cv three.csv --sigma 2 --ridge 1 --metric macro-f1 --repeat 2 -q
t cv three.csv --machine onelsm:ridge=1 --machine onelsm:ridge=2 --sigma 2 --metric macro-f1 -q
t cv three.csv --metric hamming-loss
t cv three.csv --metric f1
t compare three.csv --machine onelsm:ridge=1 --machine onelsm:ridge=2 --metric macro-f1
"$POLYTOMY" cv three.csv --sigma 2 --ridge 1 --metric macro-f1 --json -q | grep -e macro
