# The wheel of each Python works in an empty environment.
./dev wheel
expect python3 tests/package/wheel_check.py dist/*.whl
