# The machine constraint: labels of every kind by every method, trained, saved, predicted; which pairs of a ranking are learned; what is refused.
. "$CASES/lib.sh"
three >three.csv
cat >sets.csv <<'END'
x,y,labels
0,0,a;b
0.1,0.2,a;b
0.2,0.1,a;b
5,0,b;c
5.1,0.2,b;c
5.2,0.1,b;c
0,5,b
0.1,5.2,b
0.2,5.1,b
END
cat >ranks.csv <<'END'
x,y,order
0,0,a>b>c
0.1,0.2,a>b>c
0.2,0.1,a>b>c
5,0,c>b>a
5.1,0.2,c>b>a
5.2,0.1,c>b>a
0,5,b>c>a
0.1,5.2,b>c>a
0.2,5.1,b>c>a
END
cat >pairs.csv <<'END'
x,y,order
0,0,a>b
0.1,0.2,a>b;a>c
5,0,c>a
5.1,0.2,c>a;b>a
END

# What can be told is told, whatever learns it.
for method in svm hard online; do
    case $method in
        svm) set -- --C 100 ;;
        hard) set -- ;;
        online) set -- --epochs 0 ;;
    esac
    echo "method $method"
    quiet train three.csv -o m --machine constraint --method $method "$@"
    "$POLYTOMY" predict m three.csv | uniq -c
    quiet train sets.csv -o m --labels set --label labels --machine constraint --method $method "$@"
    "$POLYTOMY" predict m sets.csv | uniq -c
    quiet train ranks.csv -o m --labels ranking --label order --machine constraint --method $method "$@"
    "$POLYTOMY" predict m ranks.csv --rank | uniq -c
    quiet train pairs.csv -o m --labels pairs --label order --machine constraint --method $method "$@"
    "$POLYTOMY" eval m pairs.csv | grep -e 'constraint error'
done

# The pairs of a ranking of three classes: 3, or 2 in neighbouring places.
for pairs in all next; do
    quiet train ranks.csv -o m --labels ranking --label order --machine constraint --pairs $pairs
    "$POLYTOMY" info m | grep -i -e '  *pairs' -e 'most'
done
t train three.csv -o m --machine constraint --pairs all
t train sets.csv -o m --labels set --label labels --machine constraint --pairs next
t train ranks.csv -o m --labels ranking --label order --machine constraint --pairs some
t train ranks.csv -o m --labels ranking --label order --machine rank-ls --pairs all

# What a method does not use, and what cannot be.
t train three.csv -o m --machine constraint --method hard --C 2
t train three.csv -o m --machine constraint --method online --kernel rbf
t train three.csv -o m --machine constraint --epochs 2
t train three.csv -o m --machine constraint --sigma 2
printf 'x,class\n1,a\n1,b\n' >both.csv
t train both.csv -o m --machine constraint --method hard | sed 's,above [^;]*,above A,'

# --epochs 0: the weights that are kept are right about every row, whatever the update.
quiet synth hrz-ova -o hrz-ova.csv
for update in perceptron pa balanced-winnow; do
    quiet train hrz-ova.csv -o m --weight weight --machine constraint --method online --update $update --epochs 0 --scale none --calibrate no
    "$POLYTOMY" eval m hrz-ova.csv --weight weight | grep '^error'
done
