# A wheel works in an empty environment. One is enough to see that: wheels
# differ in the interpreter.
./dev wheel python3
expect python3 tests/package/wheel_check.py dist/*.whl
