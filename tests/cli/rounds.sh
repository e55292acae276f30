# Models that were learned by rounds, after some of them; margins.
. "$CASES/lib.sh"
three >three.csv
quiet train three.csv -o ls --code ova --learner ls --ridge 0.1 --sigma 2
t predict ls three.csv --rounds 3
t predict ls three.csv --rounds -1
t predict ls three.csv --rounds many
t eval ls three.csv --rounds 3
t eval ls three.csv --stages 1,2
