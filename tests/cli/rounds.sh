# Models that were learned by rounds, after some of them; margins.
. "$CASES/lib.sh"
three >three.csv
quiet train three.csv -o ls --code ova --learner ls --ridge 0.1 --sigma 2
t predict ls three.csv --rounds 3
t predict ls three.csv --rounds -1
t predict ls three.csv --rounds many
t eval ls three.csv --rounds 3
t eval ls three.csv --stages 1,2
# Boosting: the error by round, and the model after some rounds.
masked()
{
    sed -E -e 's/-?[0-9]+\.[0-9]+(e[+-]?[0-9]+)?/_/g' -e 's/  +/ /g'
}
quiet train three.csv -o m --code ova --learner adaboost --rounds 12
"$POLYTOMY" predict m three.csv | uniq -c
"$POLYTOMY" predict m three.csv --rounds 12 --scores >a
"$POLYTOMY" predict m three.csv --scores >b
cmp a b && echo same
"$POLYTOMY" predict m three.csv --rounds 0 | uniq -c
t predict m three.csv --rounds 13
"$POLYTOMY" eval m three.csv | sed -n '/^error by round/,$p' | masked
"$POLYTOMY" eval m three.csv --rounds 5 | sed -n '/^error by round/,$p' | masked | cut -d' ' -f1-3
"$POLYTOMY" eval m three.csv --stages 0,3,12 | sed -n '/^error by round/,$p' | masked
for list in 0,13 3,2 1,,2 x 1, ,; do
    t eval m three.csv --stages "$list" | head -n 2
done
"$POLYTOMY" eval m three.csv --stages 2,4 --json | sed -n '/"rounds": {/,/^  }/p' | grep -o -e '"[a-z_0-9]*":' -e '"rounds": [0-9]*' | sort | uniq -c
"$POLYTOMY" eval m three.csv -q --rounds 0
# Margins of boosting in a single call: of codes without zeros with bounds, of others without.
for code in ova ovo; do
    quiet train three.csv -o m --machine adaboost-mo --code $code --boost discrete --rounds 12
    "$POLYTOMY" eval m three.csv | sed -n '/^margins after/,$p' | sed -E -e 's/[0-9]+\.[0-9][0-9]( |$)/_\1/g' -e 's/  +/ /g'
    "$POLYTOMY" eval m three.csv --json | grep -o -e '"theta"' -e '"share"' -e '"theorem_6"' -e '"rows_bound"' -e '"theorem_3[a-z_]*"' | sort | uniq -c
done
# Weights are told of; so it is where Theorem 3 has nothing to say.
sed -e '1s/$/,w/' -e '2,$s/$/,2/' -e '2s/2$/1/' three.csv >weighted.csv
for file in three weighted; do
    quiet train $file.csv -o m --machine adaboost-mh --boost discrete --rounds 12 --label class $([ $file = weighted ] && echo --weight w)
    "$POLYTOMY" eval m three.csv | grep '^Theorem 6'
done
quiet train three.csv -o m --machine adaboost-mh --boost confidence --rounds 12
"$POLYTOMY" eval m three.csv | grep -c '^margins after' || true
