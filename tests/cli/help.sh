# Help of every command and table, on standard output, with exit code 0.
. "$CASES/lib.sh"
t help
"$POLYTOMY" --help >a && "$POLYTOMY" help >b && cmp a b && echo "--help is help"
"$POLYTOMY" train -h >a && "$POLYTOMY" help train >b && cmp a b && echo "train -h is help train"
t --version
t train --version
for topic in train predict eval cv convert export import svm-train svm-predict synth info help version parameters machines kernels \
    codes learners labelbooks decoders formats; do
    "$POLYTOMY" help $topic >out 2>err || echo "help $topic failed"
    [ -s out ] || echo "help $topic says nothing"
    [ ! -s err ] || cat err
    awk -v topic=$topic 'length($0) > 80 { print topic ": a line of " length($0) ": " $0 }' out
done
t help ridge
t help version
"$POLYTOMY" help machines | grep -q '^onelsm' && echo "machines are listed"
"$POLYTOMY" help machines | sed -n '/^cv/,/^$/p'
"$POLYTOMY" help decode | grep -c 'hamming: ls-ovo'
"$POLYTOMY" help learners
"$POLYTOMY" help synth | grep -q 'hrz-ova' && echo "problems are listed"
"$POLYTOMY" help --json | grep -c '"name": "ridge"'
"$POLYTOMY" version | head -n 1
"$POLYTOMY" version --json | grep -c '"build"'
