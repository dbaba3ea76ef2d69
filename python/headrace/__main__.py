"""python -m headrace: the program `headrace`."""

from _headrace_program import main

main()
