# Conversion there and back gives the same data.
. "$CASES/lib.sh"
three >three.csv
t convert three.csv three.tsv.gz
t convert three.tsv.gz - --to csv
t convert three.csv three.csv.zst -q
t convert three.csv.zst - --to tsv -q
t convert three.csv three.xyz
t convert missing.csv out.csv
t convert three.csv - --json
t convert - out.csv <three.csv
cmp three.csv out.csv && echo "the same bytes"
t convert three.csv no/such/folder.csv
t convert three.csv /dev/full --to csv
ls
