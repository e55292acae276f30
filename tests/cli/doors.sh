# Small things at the door: where the output goes, letters, folds of few rows, nominal columns in LIBSVM files, names that are nearly
# there, one of something.
. "$CASES/lib.sh"
three >three.csv
sed -e '1s/^/colour,/' -e '2,6s/^/red,/' -e '7,11s/^/green,/' -e '12,$s/^/blue,/' three.csv >colours.csv

# convert takes OUT as all others do, too.
t convert three.csv -o out.tsv
t convert three.csv out.csv -o other.csv
t convert three.csv
t convert three.csv -x out.csv
t train three.csv -o m -ridge 1
t train three.csv -o m -ridge=1
t cv three.csv -x

# A nominal column becomes one of 0 and 1 for each level; what cannot be written is named.
t convert colours.csv -o colours.svm
cat colours.svm
t convert colours.csv - --to libsvm --label none -q
sed '3s/^red,[^,]*/red,/' colours.csv >missing.csv
t convert missing.csv missing.svm
ls

# export has one format.
quiet train three.csv -o pairs --code ovo --learner svm --scale none
t export pairs -o pairs.libsvm
t export pairs --to onnx -o pairs.onnx

# Ten folds are the default, and fewer rows have fewer folds; who asks for too many is told.
sed -n '1,4p;7,9p' three.csv >six.csv
t cv six.csv --ridge 1 --sigma 1
t cv six.csv --ridge 1 --sigma 1 --folds 10
t cv six.csv --machine onelsm --machine ls-ova --ridge 1 --sigma 1

# Metrics by the names that others give them.
t cv six.csv --folds 3 --ridge 1 --sigma 1 --metric accuracy -q
t cv six.csv --folds 3 --ridge 1 --sigma 1 --metric f1 -q
sed '3,4d' six.csv | sed '5s/b$/a/' >unequal.csv
t cv unequal.csv --folds 2 --machine tree --metric balanced-accuracy -q
t cv six.csv --metric loss
# Probabilities, calibrated without each fold.
t cv three.csv --folds 3 --machine tree --metric log-loss -q
t cv three.csv --folds 3 --grid ridge=0.1,10 --sigma 1 --metric brier -q
t compare three.csv --machine onelsm:grid=ridge=0.1,1 --machine tree --metric log-loss -q

# Names of columns that differ by capitals and blanks.
quiet train three.csv -o m --ridge 1 --sigma 1
sed '1s/x,y/X,y/' three.csv >capital.csv
t predict m capital.csv
sed '1s/x,y/z,y/' three.csv >other.csv
t predict m other.csv

# One of something.
(sed -n 1p three.csv; echo 1,2,a) >one.csv
t cv one.csv
t compare one.csv --machine onelsm --machine tree
t train one.csv -o none --online
t info one.csv --label 9

# Help has what matters; --help all has everything.
"$POLYTOMY" train --help >short
"$POLYTOMY" train --help all >long
"$POLYTOMY" help train all | cmp - long && echo "help train all is train --help all"
[ "$(grep -c '^  --' short)" -le 25 ] && [ "$(grep -c '^  --' long)" -ge 80 ] && echo "the short one is short"
sed -n '/^Other options/,/^Common/p' short | grep -o '^  [A-Z][a-z ]*[a-z]'
"$POLYTOMY" predict --help all >all
"$POLYTOMY" predict --help | cmp - all && echo "few options are all told"
for command in train cv compare code-design; do # every option is told or named
    "$POLYTOMY" help $command all | grep -o '^  --[A-Za-z0-9-]*' | sort >all
    "$POLYTOMY" help $command | grep -o -e '--[A-Za-z0-9-]*' | sed 's/^/  /' | sort -u >some
    comm -23 all some
done
t help train some
t help code design all extra
