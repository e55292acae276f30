# A model is dumped whole: its scores can be computed from the JSON alone.
. "$CASES/lib.sh"
command -v python3 >python.log || exit 77
iris="$DATA/iris.csv"
for options in '--machine softmax' '--machine onelsm --kernel rbf' '--machine onelsm --kernel linear' \
    '--machine tree' '--machine code --code ovo --learner svm --kernel rbf --sigma 1 --decode hinge' \
    '--machine spoc --kernel rbf --sigma 1'; do
    # shellcheck disable=SC2086
    quiet train "$iris" -o m $options
    "$POLYTOMY" info m --json --all >m.json
    "$POLYTOMY" predict m "$iris" --scores >scores.csv
    echo "$options: $(python3 "$CASES/scores_of_json.py" m.json "$iris" scores.csv)"
done
t info m --all
t info "$iris" --json --all | sed "s|$iris|iris.csv|"
