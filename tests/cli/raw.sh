# Tables as they are: nominal columns and missing cells for learners that look at them (trees).
. "$CASES/lib.sh"
cat >shop.csv <<'END'
colour,size,class
red,1,a
blue,2,a
green,,b
yellow,3,b
red,4,a
blue,,a
green,5,b
yellow,6,b
,2,a
,9,a
END
t train shop.csv -o m --learner tree
printf 'colour,size\npurple,1\nred,\n,3\ngreen,2\n' >new.csv
t predict m new.csv
# Filled in as for any machine, or refused.
for missing in mean zero indicator error; do
    t train shop.csv -o m --learner tree --missing $missing
done
# Names that look like numbers in new data.
printf 'code,class\n1,a\n2,a\nx,b\n7,b\n1,a\n2,a\nx,b\n7,b\n' >codes.csv
quiet train codes.csv -o m --learner tree
printf 'code\n1\n7\n3\n' | "$POLYTOMY" predict m - 2>&1
# Learners that see the cells in different ways are not points of one grid.
t cv shop.csv --grid learner=ls,tree --folds 2
t cv shop.csv --grid learner=tree,ls --folds 2
t cv shop.csv --grid learner=tree,depth=1,2 --folds 2
"$POLYTOMY" cv shop.csv --machine code:learner=ls --machine code:learner=tree --folds 2 --json >out 2>/dev/null && grep -c '"error":' out
# Other programs do not know names.
t export m --to libsvm -o out
t train shop.csv -o m --learner tree --code ova --single-call
"$POLYTOMY" predict m shop.csv | uniq -c
