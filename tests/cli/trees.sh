# Decision trees: nominal columns and missing cells as they are, under codes and for all classes.
. "$CASES/lib.sh"
cat >fruit.csv <<'END'
color,size,weight,class
red,small,10,cherry
red,small,12,cherry
red,,11,cherry
red,large,150,apple
green,large,160,apple
yellow,large,170,apple
green,large,,apple
yellow,long,120,banana
yellow,long,130,banana
green,long,125,banana
blue,small,5,berry
blue,small,4,berry
black,small,6,berry
black,,5,berry
END
t train fruit.csv -o m --machine tree --calibrate no
t predict m fruit.csv --scores
printf 'color,size,weight\nred,,\nviolet,small,5\n,long,\nviolet,,\n' >new.csv
t predict m new.csv
for criterion in entropy gini sqrt; do
    t train fruit.csv -o m --code ova --learner tree --criterion $criterion --calibrate no
    "$POLYTOMY" info m | grep -e '  decode:' -e '^  leaves'
    "$POLYTOMY" eval m fruit.csv | grep -e '^error' -e '^columns: '
done
t train fruit.csv -o m --code ovo --learner tree --depth 1 --calibrate no
t predict m fruit.csv
t train fruit.csv -o m --machine tree --prune 0.1 --calibrate no
"$POLYTOMY" predict m fruit.csv | sort | uniq -c
t train fruit.csv -o m --machine tree --prune 1 --calibrate no
"$POLYTOMY" predict m fruit.csv | sort | uniq -c
cp "$DATA/iris.csv" .
t cv iris.csv --machine tree --grid prune=0,0.01,min-leaf=1,5
# In words.
t train fruit.csv -o m --machine tree --calibrate no
"$POLYTOMY" info m | sed -n '/^tree$/,$p'
"$POLYTOMY" info m --json | tr -d ' \n' | grep -o '"trees":{.*'
echo
t train fruit.csv -o m --code ova --learner tree --calibrate no
"$POLYTOMY" info m | sed -n '/^column /,$p'
t train fruit.csv -o m --code ova --learner tree --single-call --depth 3 --calibrate no
"$POLYTOMY" info m | sed -n '/^tree$/,$p'
cp "$DATA/digits.csv" .
quiet train digits.csv -o m --code ovo --learner tree --calibrate no
"$POLYTOMY" info m | sed -n '/^column /,$p'
"$POLYTOMY" info m -v | sed -n '/^column /,$p' | grep -c -e '<=' -e '>'
quiet train iris.csv -o m
"$POLYTOMY" info m | grep -c '<='
# Boosted.
for boost in confidence discrete; do
    t train fruit.csv -o m --code ova --learner adaboost --boost $boost --depth 2 --rounds 3 --calibrate no
    "$POLYTOMY" info m | sed -n '/^column /,$p'
done
t train fruit.csv -o m --code ova --learner adaboost --rounds 2 --calibrate no
"$POLYTOMY" info m | sed -n '/^column /,$p'
quiet train iris.csv -o m --code ova --learner adaboost --calibrate no
"$POLYTOMY" info m | sed -n '/^column /,$p'
"$POLYTOMY" info m -v | sed -n '/^column /,$p' | grep -c 'round'
quiet train fruit.csv -o m --machine adaboost-mh --rounds 3 --calibrate no
"$POLYTOMY" info m | sed -n '/^3 rounds/,$p'
quiet train iris.csv -o m --machine adaboost-mo --code ovo --boost discrete --rounds 3 --calibrate no
"$POLYTOMY" info m | sed -n '/^3 rounds/,$p'
# Columns that a shared test adds to: called by their classes, or by numbers that are explained.
quiet train fruit.csv -o m --machine adaboost-mo --code dense --columns 4 --rounds 2 --calibrate no
"$POLYTOMY" info m | sed -n '/^parameters/,/^data/p'
"$POLYTOMY" info m | sed -n '/^2 rounds/,$p'
"$POLYTOMY" info m -v | grep -c '  learner: svm'
t train fruit.csv -o m --learner adaboost --depth 2 --polarity below --boost discrete
# Stumps cannot combine a feature with the column of the code.
t train iris.csv -o m --learner adaboost --code ova --single-call --rounds 20 --calibrate no
t train iris.csv -o m --learner adaboost --code ova --single-call --rounds 20 --calibrate no --depth 2
t train iris.csv -o m --learner brownboost --code ova --single-call --rounds 20 --calibrate no 2>&1 | grep stump
# What trees do not use, and what does not go together.
t train fruit.csv -o m --machine tree --sigma 2
t train fruit.csv -o m --machine tree --learner tree
t train fruit.csv -o m --learner tree --C 2
t train fruit.csv -o m --learner svm --depth 2
t train fruit.csv -o m --machine tree --criterion error
t train fruit.csv -o m --machine tree --bins 1000
t train fruit.csv -o m --machine tree --missing error
