# LogitBoost and BrownBoost: any code, raw columns, rounds, depth, early stopping; what is refused.
. "$CASES/lib.sh"
t synth ass -n 300 -o a.csv --seed 3 --classes 4
for learner in logitboost brownboost; do
    for code in ova ovo dense; do
        t train a.csv -o m --learner $learner --code $code --rounds 30
        "$POLYTOMY" eval m a.csv | sed -n 2p
    done
    t train a.csv -o m --learner $learner --depth 2 --rounds 10 --min-leaf 5
    "$POLYTOMY" info m | grep -e '^columns:' -e '^rounds' -e '^tests'
done
# Half of the rows say when to stop.
t train a.csv -o m --learner logitboost --code ova --stop-share 0.5 --patience 3
"$POLYTOMY" info m | grep '^rounds'
t train a.csv -o m --machine adaboost-mo --code ova --stop-share 0.5 --patience 3
# What is less than a row is none, and nothing to be patient about.
for learner in adaboost logitboost brownboost; do
    t train a.csv -o m --learner $learner --code ova --stop-share 0.001 --rounds 5
done
t train a.csv -o m --learner adaboost --code ova --depth 2 --stop-share 0.001 --rounds 5
t train a.csv -o m --learner adaboost --code ova --patience 3
t train a.csv -o m --machine adaboost-mh --stop-share 0 --patience 3
# Levels and missing cells as they are.
cat >raw.csv <<'END'
colour,size,class
red,1,a
red,2,a
blue,?,a
blue,1,a
green,3,b
green,?,b
red,9,b
black,8,b
black,?,c
,7,c
black,2,c
black,3,c
END
for learner in logitboost brownboost; do
    t train raw.csv -o m --learner $learner --code ova --rounds 20 --calibrate no
    t predict m raw.csv
done
t cv a.csv --learner brownboost --code ova --grid noise=0.1,0.4 --rounds 10 --folds 5
t train a.csv -o m --learner logitboost --noise 0.2
t train a.csv -o m --learner brownboost --noise 1
t train a.csv -o m --learner brownboost --C 1
