# train --valid: rows of another file choose, end boosting and calibrate; the machine is of DATA.
. "$CASES/lib.sh"
said()
{
    sed -e 's/after .* s$/after TIME/'
}
awk 'BEGIN { srand(1); print "x,y,kind,class"
    for (i = 0; i < 150; i++) { c = i % 3; x = (i * 37 % 101) / 50 - 1 + c; y = (i * 61 % 89) / 45 - 1 + (c == 1) * 1.2
        printf "%.3f,%.3f,%s,%s\n", x, y, substr("pqr", 1 + int(i / 7) % 3, 1), substr("abc", c + 1, 1) } }' >all.csv
quiet split all.csv a.csv b.csv --test 0.3
t train a.csv --valid b.csv -o m | said
t train a.csv --valid b.csv -o boosted --learner adaboost --code ova --patience 5 | said
t train a.csv --valid b.csv -o online --learner perceptron --epochs 30 --update perceptron | said
rm online
t train a.csv --valid b.csv -o steps --machine softmax --C 1000 --patience 2 | said
"$POLYTOMY" info steps | grep '^ *steps: [0-9]'
t train a.csv --valid b.csv -o epochs --machine constraint --method online --epochs 30 --patience 3 | said
"$POLYTOMY" info epochs | grep '^ *epochs[_a-z]*: [0-9]'
t train a.csv -o more --start steps --C 1001 -q
t train a.csv -o more --start epochs --epochs 40 -q
rm -f steps epochs more
t train a.csv -o whole --learner adaboost --code ova --calibrate no -q
quiet train a.csv --valid b.csv -o fixed --sigma 1 --ridge 0.1
quiet train a.csv -o alone --sigma 1 --ridge 0.1 --calibrate no
for model in fixed alone; do "$POLYTOMY" predict $model all.csv --scores >$model.scores; done
cmp fixed.scores alone.scores && echo "the scores of a model of a.csv"
"$POLYTOMY" info boosted | grep -e n_valid -e '  patience' -e '^ *how' -e rounds:
"$POLYTOMY" info m --json | grep -e n_valid
t eval boosted b.csv -q
"$POLYTOMY" train a.csv --valid b.csv -o m --json | grep -e held_out_error -e '"model"'
echo "other files:"
awk -F, '{ print $4 "," $2 "," $1 "," NR "," $3 }' b.csv | sed '1s/.*/class,y,x,extra,kind/' >turned.csv
gzip -kf turned.csv
t train a.csv --valid turned.csv.gz -o turned -q
for model in m turned; do "$POLYTOMY" predict $model all.csv --proba -q >$model.proba; done
cmp m.proba turned.proba && echo "the same model"
t train a.csv --valid - -o turned -q <b.csv
{ cat b.csv; echo 0,0,p,new; echo 1,1,p,new; echo 1,1,s,a; } >more.csv
t train a.csv --valid more.csv -o more | said
for f in a b; do sed 's/p,/1,/; s/q,/2,/; s/r,/3,/' $f.csv >n$f.csv; quiet convert n$f.csv $f.svm; done
t train a.svm --valid b.svm -o sparse | said
t train a.csv --valid a.csv -o same -q 2>&1 | said
t train a.csv --valid a.csv -o same | said
echo "refused, and nothing written:"
rm -f m same sparse more turned fixed alone whole boosted
cut -d, -f1,4 b.csv >lacks.csv
cut -d, -f1-3 b.csv >bare.csv
head -1 b.csv >none.csv
sed 's/,[abc]$/,z/' b.csv >strange.csv
sed 's/^[-0-9.]*,/word,/; 1s/word/x/' b.csv >words.csv
t train a.csv --valid lacks.csv -o m
t train a.csv --valid bare.csv -o m
t train a.csv --valid none.csv -o m
t train a.csv --valid strange.csv -o m
t train a.csv --valid words.csv -o m
t train a.csv --valid missing.csv -o m
t train a.csv --valid . -o m
t train - --valid - -o m <a.csv
t train a.csv --valid b.csv -o m --online
t train a.csv --valid b.csv -o m --learner adaboost --stop-share 0.2
t train a.csv -o m --machine softmax --patience 3
t train a.csv --valid b.csv -o m --machine onelsm --patience 3
t train a.csv --valid b.csv -o m --learner winnow --epochs 9 2>&1 | grep '^epoch'
t train a.csv --valid b.csv -o m --learner winnow --epochs 9 -q
t train a.csv -o m --learner winnow --epochs 9 2>&1 | grep '^epoch'
rm m
t train a.csv --valid b.csv -o m --learner winnow --epochs 0 --patience 3
t train a.csv --valid b.csv -o m --machine constraint --patience 3
t train a.csv --valid b.csv -o m --learner perceptron --patience 0
t train a.csv --valid b.csv -o m --machine class-tree --learner adaboost --patience 3
t train a.csv -o m --learner adaboost --patience 3
t train a.csv --valid b.csv -o m --group kind
ls
