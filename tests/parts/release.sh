# g++ compiles everything; all tests run, and instructions are counted.
configure_package
compile build
run_tests build --no-suite bench --no-suite fuzz
expect python3 bench/regress.py
