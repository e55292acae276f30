# vo-SVM: support vectors in the model, a search along C, the bias and its refusals.
. "$CASES/lib.sh"
three >three.csv
t train three.csv -o m --machine vo-svm --sigma 1 --labelbook mincorr --gap 1e-6 # at a coarse one their number is the compiler's
"$POLYTOMY" info m | grep -e '^machine' -e '^support_vectors'
t predict m three.csv --top 1 -o labels.txt
sort labels.txt | uniq -c | sed 's/^ *//'
t cv three.csv --machine vo-svm --labelbook mincorr --sigma 1 --grid C=2^-2:2^2 --folds 5
t cv three.csv --machine vo-svm --labelbook fisher --sigma 1 --folds 5
for rule in exact mean penalised; do
    t cv three.csv --machine vo-svm --labelbook mincorr --sigma 1 --bias --bias-rule $rule --folds 5
done
t train three.csv -o m --machine vo-svm --sigma 1 --labelbook indicator --bias
t train three.csv -o m --machine vo-svm --sigma 1 --bias-rule mean
t train three.csv -o m --machine vo-svm --kernel sigmoid --sigma 1 --coef0 -4
t train three.csv -o m --machine vo-svm --ridge 1

# A class of one row: the fold that holds it out has no biased machine.
{ three && echo 2,2,d; } >four.csv
t cv four.csv --machine vo-svm --sigma 1 --labelbook mincorr --bias --folds 2
t cv four.csv --machine vo-svm --sigma 1 --labelbook mincorr --bias --bias-rule penalised --folds 2
t train four.csv -o m --machine vo-svm --sigma 1 --labelbook mincorr --bias
