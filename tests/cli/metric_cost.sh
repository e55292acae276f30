# metric=cost: every machine takes costs then, and there must be some; top-k below the classes.
. "$CASES/lib.sh"
cp "$DATA/wine.csv" .
printf '0,1,5\n1,0,1\n3,1,0\n' >costs.csv
t train wine.csv --machine softmax -o wine.model -q
t cv wine.csv --machine softmax --grid C=0.001,0.1 --metric cost --costs costs.csv
t cv wine.csv --machine softmax --machine spoc --grid C=0.001,0.1 --metric cost --costs costs.csv -q
t cv wine.csv --machine softmax --grid C=0.001,0.1 --metric mcc -q
t cv wine.csv --grid ridge=0.1,1 --metric cost
t cv wine.csv --machine softmax --grid C=0.001,0.1 --metric mcc --costs costs.csv
t cv wine.csv --grid ridge=0.1,1 --metric top-k-accuracy --top-k 3
"$POLYTOMY" eval wine.model wine.csv --costs costs.csv --top-k 1 --json -q >out 2>&1
grep -e '"cost"' -e top_k_accuracy -e auc_ -e mcc -e kappa -e balanced_error out
printf '0,1\n1,0\n' >small.csv
t eval wine.model wine.csv --costs small.csv
printf '0,1,1\n-1,0,1\n1,1,0\n' >negative.csv
t eval wine.model wine.csv --costs negative.csv
