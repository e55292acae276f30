# What is in a file.
. "$CASES/lib.sh"
three >three.csv
t info three.csv
printf 'x,color,class\n1,red,a\n?,blue,b\n,red,a\n4,,b\n' >mixed.csv
t info mixed.csv
quiet train three.csv -o m --sigma 2 --ridge 1
"$POLYTOMY" info m | head -n 2 | sed 's/[0-9.]* kB/# kB/'
"$POLYTOMY" info m --json | grep -c '"metadata"'
"$POLYTOMY" info mixed.csv --json | grep '"missing"'
t info missing.csv
t info .
t info /dev/null
