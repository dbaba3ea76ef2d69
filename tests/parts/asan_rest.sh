# The build of asan.sh runs the program and Python.
configure_sanitizer asan "${python_options[@]}"
compile build-asan
UBSAN_OPTIONS=print_stacktrace=1 \
  run_tests build-asan --suite cli --suite python_package
