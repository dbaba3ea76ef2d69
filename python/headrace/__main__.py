"""Runs the program `headrace`: python -m headrace."""

from _headrace_program import main

main()
