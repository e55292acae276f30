# Completions are programs that their shells accept, and complete what they should.
. "$CASES/lib.sh"
for shell in bash zsh fish; do
    "$POLYTOMY" help --completion $shell >completion.$shell || echo "failed: $shell"
    [ -s completion.$shell ] || echo "empty: $shell"
    if command -v $shell >/dev/null; then
        $shell -n completion.$shell || echo "$shell does not accept it"
    fi
done
command -v bash >/dev/null || exit 77
cat >try.bash <<'END'
source completion.bash
complete_words() { # WORDS...: completes the last one
    COMP_WORDS=(polytomy "$@")
    COMP_CWORD=$#
    _polytomy
    echo "$*: ${COMPREPLY[*]}"
}
complete_words tr
complete_words train data.csv --ridg
complete_words train --kernel l
complete_words cv --gr
complete_words predict --gr
complete_words help --completion z
complete_words cv data.csv --loo n
complete_words cv data.csv --loo --gr
END
bash try.bash
