# The wheels work in an empty environment of each Python.
./dev wheel
for python in python3.11 python3.12 python3.13 python3.14; do
  "$python" -c pass 2>/dev/null || continue
  expect "$python" tests/package/wheel_check.py dist/*.whl
done
