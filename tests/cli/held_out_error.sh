# The held-out error that training computes anyway is told: by calibration, else by the choice of
# parameters; where nothing is computed, nothing is told.
. "$CASES/lib.sh"
told()
{
    echo "\$ train $*"
    "$POLYTOMY" train "$@" -o m | grep -e 'held-out error'
}
cp "$DATA/iris.csv" iris.csv
told iris.csv --sigma 1 --ridge 0.01
told iris.csv
told iris.csv --calibrate no
"$POLYTOMY" train iris.csv -o m --calibrate no --json | grep -e choice_loss -e held_out_error | sed 's/\(0\.[0-9]\{4\}\)[0-9]*/\1/'
told iris.csv --calibrate no --sigma 1 --ridge 0.01
told iris.csv --calibrate no --machine spoc --kernel rbf
told iris.csv --calibrate no --machine ls-ovo # chosen by another machine
# Sets and rankings: what was counted is said.
awk 'BEGIN { print "x,y,order,tags"; for (i = 0; i < 90; i++) { x = (i * 37 % 97) / 97; y = (i * 61 % 89) / 89; print x "," y "," (x > y ? "a>b>c" : x + y > 1 ? "b>c>a" : "c>a>b") "," (x > 0.5 ? "u" : "v") (y > 0.6 ? ";w" : "") } }' >orders.csv
told orders.csv --label order --labels ranking --ignore tags --machine rank-ls
told orders.csv --label order --labels ranking --ignore tags --machine rank-ls --sigma 1 --ridge 1
told orders.csv --label tags --labels set --ignore order --machine relevance --learner ls --calibrate no
# A row of weight 0 is absent: it is no training error, and eval does not count it.
printf 'a,b,w,class\n1,0,1,x\n2,0,1,y\n1.1,0,1,x\n2.2,0,1,y\n2.1,0,0,x\n' >absent.csv
"$POLYTOMY" train absent.csv -o m --weight w 2>/dev/null | grep '^training error'
"$POLYTOMY" eval m absent.csv --weight w 2>/dev/null | grep '^error'
