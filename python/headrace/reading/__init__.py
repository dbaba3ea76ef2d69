"""Reads rows of files: in order, by number, shuffled, in parts."""
