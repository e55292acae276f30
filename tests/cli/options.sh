# Flags with yes or no behind them, and options that are given twice.
. "$CASES/lib.sh"
three >three.csv
t cv three.csv --loo no --folds 3 --ridge 1 --sigma 1 --quiet
t cv three.csv --loo yes --ridge 1 --sigma 1
t cv --loo three.csv --ridge 1 --sigma 1 -q
t train three.csv -o m --machine vo-lssvm --bias no --ridge 1 --sigma 1
t train three.csv -o m --machine vo-lssvm --bias yes --ridge 1 --sigma 1
t train three.csv -o m --online no --ridge 1 --sigma 1
t train three.csv -o m --online=no --ridge 1 --sigma 1 --quiet no
t train three.csv -o m --online perhaps --ridge 1
t train three.csv -o m --online=perhaps --ridge 1
t train three.csv -o m --ridge x --json no

# A file called yes: the word behind a flag is the flag's.
cp three.csv yes
t cv yes --loo --ridge 1 --sigma 1 -q
t cv --loo yes
t cv --loo ./yes --ridge 1 --sigma 1 -q
t cv --loo --ridge 1 --sigma 1 -q -- yes

# Lists add up.
sed -e '1s/^/id,note,/' -e '2,$s/^/7,8,/' three.csv >more.csv
t info more.csv --ignore id --ignore note
t cv three.csv --grid ridge=1,2 --grid sigma=1,2 --folds 3 -q
t cv three.csv --grid ridge=1,2 --grid ridge=4 --folds 3 -q
t train three.csv -o m --ridge 1 --sigma 1 --class-weight a=5 --class-weight b=2
"$POLYTOMY" info m | grep class-weight
t train three.csv -o m --ridge 1 --sigma 1 --class-weight a=5 --class-weight a=2
t train three.csv -o m --ridge 1 --sigma 1 --class-weight balanced --class-weight a=2

# Of other options the last counts, with a warning where the values differ.
t train three.csv -o one -o two --ridge 1 --ridge 2 --sigma 1 --sigma 1
t train three.csv -o m --ridge 1 --ridge 2 --sigma 1 -q
"$POLYTOMY" train three.csv -o m --ridge 1 --ridge 2 --sigma 1 --json 2>&1 | grep -A2 '"warnings"'
t train three.csv -o m --machine onelsm:ridge=2,ridge=4,sigma=1 --ridge 1
t train three.csv -o m --ridge 1 --machine onelsm:ridge=4,sigma=1
t cv three.csv --machine onelsm:sigma=1,ridge=1 --machine onelsm:sigma=1,ridge=2,ridge=4 --folds 3 -q
ls
