# The wheels work in an empty environment of each Python.
./dev wheel
for python in "${wheel_pythons[@]}"; do
  "$python" -c pass 2>/dev/null || continue
  expect "$python" tests/package/wheel_check.py dist/*.whl
done
