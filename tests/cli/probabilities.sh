# Probabilities: few rows do not make them certain, and what is not known does not make them infinitely wrong.
. "$CASES/lib.sh"
# Halves of wine, whose held-out scores separate the classes: the temperature had no bound, and a log loss of 5 where the scores as
# they are have 0.3.
halves() # PRIME
{
    sed 1d "$DATA/wine.csv" | awk "{ print (NR * $1) % 1009 \" \" \$0 }" | sort -n | cut -d' ' -f2- >rows
    for half in 1 0; do
        head -n 1 "$DATA/wine.csv" >half$half.csv
        awk "NR % 2 == $half" rows >>half$half.csv
    done
}
log_loss()
{
    "$POLYTOMY" eval "$1" "$2" --json | sed -n 's/^  "log_loss": \([^,]*\),.*/\1/p'
}
for options in "--machine onelsm" "--machine spoc" "--learner svm" "--learner svm --decode coupling" "--machine softmax" "--machine vo-svm"; do
    for prime in 7919 271 577; do
        halves $prime
        # shellcheck disable=SC2086
        quiet train half1.csv -o m $options
        # shellcheck disable=SC2086
        quiet train half1.csv -o raw $options --calibrate no
        "$POLYTOMY" predict m half0.csv --proba |
            awk -F, 'NR > 1 { for (i = 1; i <= NF; i++) if (!($i > 0.001 && $i < 0.999)) certain++ } END { if (certain) print certain " are certain" }'
        echo "$(log_loss m half0.csv) $(log_loss raw half0.csv)"
    done | awk -v options="$options" '/certain/ { print } NF == 2 { with += $1; without += $2 }
        END { print options ": " (with < without + 0.03 ? "not worse than uncalibrated" : with / 3 " against " without / 3) ", " (with / 3 < 0.3 ? "below 0.3" : with / 3) }'
done
# What was held out, and how true the probabilities are there.
quiet train half1.csv -o m
"$POLYTOMY" info m | grep -A 24 '^temperature' | sed -e 's/: [0-9.e, -]*$/: _/' -e '/^classes/d'
# A class that the model does not know is wrong, and no part of the log loss; with it alone there is none.
sed '2s/[^,]*$/other/' half0.csv >odd.csv
"$POLYTOMY" eval m odd.csv 2>&1 | grep -e warning -e '^prob' | sed 's/[0-9.]*\( %\)* [[][^]]*\]/_/g'
sed -n '1p; 2s/[^,]*$/other/p' half0.csv >only.csv
"$POLYTOMY" eval m only.csv --json 2>/dev/null | grep -A 1 -e '"log_loss"' -e '"brier"'
