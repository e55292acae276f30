# Files that cannot be written: exit code 1, nothing half-made, what was there stays.
. "$CASES/lib.sh"
three >three.csv
quiet train three.csv -o m --sigma 2 --ridge 1
t train three.csv -o no/such/folder/m --sigma 1 --ridge 1
mkdir folder
t train three.csv -o folder --sigma 1 --ridge 1
t train three.csv -o /dev/full --sigma 1 --ridge 1
t predict m three.csv -o /dev/full
t predict m three.csv -o no/such/file
"$POLYTOMY" predict m three.csv >/dev/full
echo "exit $?"
"$POLYTOMY" eval m three.csv --json >/dev/full
echo "exit $?"
"$POLYTOMY" help train >/dev/full
echo "exit $?"
"$POLYTOMY" version >&-
echo "exit $?"
{ "$POLYTOMY" synth ass -n 200000 -o - -q; echo "exit $?" >code; } | head -n 1 >/dev/null
cat code
echo old >kept
t train three.csv -o kept --sigma 1 --ridge 1 --memory 1
cat kept
ls
# A folder without permission. Root may write everywhere: then as somebody else.
mkdir locked
chmod 555 locked
user=
if touch locked/probe 2>/dev/null; then
    rm -f locked/probe
    user="setpriv --reuid=65534 --regid=65534 --clear-groups"
    chmod 755 . ..
fi
if $user test -x "$POLYTOMY" && $user test -r three.csv && ! $user touch locked/probe; then
    $user "$POLYTOMY" train three.csv -o locked/m --sigma 1 --ridge 1 >out 2>&1
    [ $? -eq 1 ] && grep -q 'Permission denied' out || { echo "no permission:"; cat out; }
fi 2>/dev/null
ls locked | grep -v probe
true
