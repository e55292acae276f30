# The man page has no fault that mandoc knows of.
. "$CASES/lib.sh"
command -v mandoc >/dev/null || exit 77
"$POLYTOMY" help --man -o polytomy.1 || echo failed
mandoc -Tlint polytomy.1
mandoc -Thtml polytomy.1 | grep -q 'id="PARAMETERS"' && echo "it has its parameters"
