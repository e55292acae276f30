# The library names parameters between backquotes, which the tool shows as options; names of users
# that look so are not taken for them.
. "$CASES/lib.sh"

# Names of files, columns, classes and cells.
three | sed -e 's/class$/`ridge`/' -e 's/,a$/,`sigma=1`/' >'`time`.csv'
t train '`time`.csv' -o m --label '`memory`'
t train '`time`.csv' -o m --ridge 0.1 --sigma 1 --class-weight '`C`=2'
t train '`time`.csv' -o m --ridge 0.1 --sigma '`label=x`'
t train '`kernel`' -o m
t '`bias`'
t train '`time`.csv' -o m --machine '`bias`'
quiet train '`time`.csv' -o m --ridge 0.1 --sigma 1
sed -e '2s/0,0/`na`,0/' '`time`.csv' >odd.csv
t eval m odd.csv -q
sed -e '2s/`sigma=1`/`Sigma=1`/' '`time`.csv' >odd.csv
t eval m odd.csv

# A value is quoted where a shell would not hand it on.
cat >sets.csv <<'END'
a,label_x,label_y,label_z
1,0,1,0
2,1,1,0
3,0,0,1
4,1,0,0
END
"$POLYTOMY" train sets.csv -o m --label a --ridge 1 --sigma 1 2>&1 | grep "label_\*"
"$POLYTOMY" train sets.csv -o m --ridge 1 --sigma 1 2>&1 | grep "label_\*"

# Nothing is left of the backquotes in help.
for what in 'train --help all' 'help --man' 'help --json' 'help --completion zsh' 'help --completion fish'; do
    # shellcheck disable=SC2086
    "$POLYTOMY" $what | grep -o '`[a-z-]*[`=]'
done
exit 0
