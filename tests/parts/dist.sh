# What ./dev release makes of the last commit is complete, and its source archive gives
# the working program and package where there is no git.
./dev release
expect python3 tests/package/release_check.py dist
