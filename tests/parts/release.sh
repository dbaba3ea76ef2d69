# g++ compiles everything; all tests run, and instructions are counted.
CC=gcc CXX=g++ configure build -Dwerror=true "${python_options[@]}"
# In a folder of ./dev build warnings are warnings, and Python is left out.
if ! meson introspect build --buildoptions | tr -d '\n' |
  grep -qE '"name": "python", "value": "enabled".*"name": "werror", "value": true'
then
  meson configure build -Dwerror=true "${python_options[@]}"
fi
compile build
run_tests build --no-suite bench
expect python3 bench/regress.py
