# Why rows are decided as they are.
. "$CASES/lib.sh"
three | sed -e '1s/^/color,/' -e '2,$s/^/red,/' -e '3~4s/^red/blue/' -e '5~7s/^red/green/' >rows.csv
awk 'NR == 1 || NR % 6 == 2' rows.csv >few.csv
digits()
{
    sed -e 's/\([0-9]\.[0-9]\)[0-9]*/\1/g' -e 's/e-[0-9]*/e/g'
}
quiet train rows.csv -o m --machine softmax --scale none --calibrate no --C 0.1
t predict m few.csv --explain | digits
t predict m few.csv --explain --reasons 1 | digits
quiet train rows.csv -o m --sigma 2 --ridge 1 --calibrate no
t predict m few.csv --explain --reasons 2 | digits
quiet train rows.csv -o m --machine tree --calibrate no
t predict m few.csv --explain --reasons 2 | digits
"$POLYTOMY" predict m few.csv --explain --json --reasons 1 | sed -n '/"explanations"/,$p' | head -n 18 | digits
# Many rows are for programs.
awk 'NR == 1 { print; next } { for (i = 0; i < 70; i++) print }' rows.csv >many.csv
t predict m many.csv --explain
"$POLYTOMY" predict m many.csv --explain --json | grep -c '"margin"'
# What does not go together.
t predict m few.csv --explain --proba
t predict m few.csv --explain --reject 0.5
t predict m few.csv --explain --reasons 0
t predict m nothing.csv --explain
t predict m few.csv --reasons 2
t predict m few.csv --reasons 2 --proba
