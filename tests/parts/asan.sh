# ASan and UBSan find what the release build computes by luck. The C++ tests run
# their kernels on each SIMD target of the processor, so this covers them all. Fuzz
# targets check their stored inputs.
configure_sanitizer asan "${python_options[@]}"
compile_library_tests build-asan fuzz/fuzz_
UBSAN_OPTIONS=print_stacktrace=1 \
  run_tests build-asan --suite cpp --suite conformance --suite fuzz
