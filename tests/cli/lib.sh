# What the tests share; read with `. "$CASES/lib.sh"`.
# shellcheck shell=sh

# t ARGUMENTS...: shows a command, what it prints on both channels, and its exit code.
t()
{
    echo "\$ polytomy $*"
    "$POLYTOMY" "$@" 2>&1
    echo "exit $?"
}

# quiet ARGUMENTS...: runs the tool without a word; a failure is shown.
quiet()
{
    "$POLYTOMY" "$@" >quiet.log 2>&1 || { echo "polytomy $* failed with $?"; cat quiet.log; }
    rm -f quiet.log
}

# Three classes in the plane, five rows each, well apart; with a header.
three()
{
    cat <<'END'
x,y,class
0,0,a
0.1,0.2,a
0.2,0.1,a
0.1,0,a
0,0.2,a
5,0,b
5.1,0.2,b
5.2,0.1,b
4.9,0,b
5,0.1,b
0,5,c
0.1,5.2,c
0.2,5.1,c
0.1,4.9,c
0,5.1,c
END
}
