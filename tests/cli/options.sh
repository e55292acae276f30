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
"$POLYTOMY" train three.csv -o m --ridge 1 --ridge 2 --sigma 1 --json 2>&1 | grep -A2 '"warning'
t train three.csv -o m --machine onelsm:ridge=2,ridge=4,sigma=1 --ridge 1
t train three.csv -o m --ridge 1 --machine onelsm:ridge=4,sigma=1
t cv three.csv --machine onelsm:sigma=1,ridge=1 --machine onelsm:sigma=1,ridge=2,ridge=4 --folds 3 -q
ls

# Words for missing cells add up, those beside the usual ones too.
sed -e '2s/^0/out/' -e '8s/^5.1/lost/' -e '9s/^5.2/NA/' three.csv >words.csv
for na in '--na +out --na +lost' '--na +out --na lost' '--na out --na +lost' '--na +out,lost' '--na out --na lost'; do
    echo "$na"
    "$POLYTOMY" info words.csv $na 2>/dev/null | grep missing
done
quiet train words.csv -o m --machine tree --na +out --na +lost
"$POLYTOMY" info m | grep ' na:'

# What is yes or no is a flag, whatever its default.
for flags in --calibrate '--calibrate no' '--merge' '--merge no' --header '--header auto' '--header=no'; do
    echo "$flags"
    "$POLYTOMY" train $flags three.csv -o m --machine tree -q 2>&1
    "$POLYTOMY" info m | grep -E ' (calibrate|merge):|^  n:'
done
"$POLYTOMY" cv --stratify three.csv --machine tree --folds 3 -q | grep best

# Signs and kinds by other names.
sed -e 's/,/;/g' -e 's/\./,/g' three.csv >comma.csv
t info comma.csv --decimal ,
sed -e '1!s/,/%,/' three.csv >share.csv
t info share.csv --types x=percent,y=currency
t info share.csv --types x=share

# A separator and comments that were said hold for prediction, and are printed.
(echo '// measured by hand'; sed -e 's/,/~/g' -e '4s,^,// again\n,' three.csv) >tilde.csv
quiet train tilde.csv -o m --machine tree --sep '~' --comment //
"$POLYTOMY" info m | grep -E ' (sep|comment):'
"$POLYTOMY" predict m tilde.csv | uniq -c
"$POLYTOMY" predict m three.csv | uniq -c
