# A model file that was cut or changed is refused: never a signal, never a wrong answer.
. "$CASES/lib.sh"
three >three.csv
quiet train three.csv -o m --sigma 2 --ridge 1
"$POLYTOMY" predict m three.csv >right
size=$(wc -c <m)
check() # FILE WHAT: exit code 1 with a message
{
    "$POLYTOMY" predict "$1" three.csv >out 2>err
    code=$?
    if [ $code -ne 1 ] || [ ! -s err ]; then
        echo "$2: exit $code"
        cat err
    fi
}
tried=0
length=0
while [ $length -lt "$size" ]; do # the header byte by byte, then in steps
    head -c $length m >cut.model
    check cut.model "cut at $length"
    tried=$((tried + 1))
    if [ $length -lt 64 ]; then length=$((length + 7)); else length=$((length + size / 60 + 1)); fi
done
at=0
while [ $at -lt "$size" ]; do
    head -c $at m >flipped
    byte=$(od -An -tu1 -j $at -N 1 m | tr -d ' ')
    # shellcheck disable=SC2059
    printf "\\$(printf %o $((255 - byte)))" >>flipped
    tail -c +$((at + 2)) m >>flipped
    "$POLYTOMY" predict flipped three.csv >out 2>err
    code=$?
    # Zeros between sections carry nothing; a change there may be seen or not.
    if [ $code -eq 0 ]; then
        cmp -s out right || echo "flipped at $at: another answer"
    elif [ $code -ne 1 ] || [ ! -s err ]; then
        echo "flipped at $at: exit $code"
    fi
    tried=$((tried + 1))
    if [ $at -lt 64 ]; then at=$((at + 5)); else at=$((at + size / 60 + 1)); fi
done
[ $tried -gt 100 ] && echo "many changes tried"
t predict three.csv three.csv
: >empty
t predict empty three.csv
t predict missing three.csv
t info cut.model | sed "s/[0-9][0-9]* bytes/# bytes/; s/has [0-9]*/has #/"
