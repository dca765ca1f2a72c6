# Read by bash before each shell cell: a failing command fails the cell, and output is plain text.
set -e
unset FORCE_COLOR CLICOLOR_FORCE CLICOLOR
export NO_COLOR=1 TERM=dumb COLUMNS=92
