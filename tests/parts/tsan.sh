# TSan looks at what threads share. Only the reader has any.
configure_sanitizer tsan
compile build-tsan tests/test_reader
run_tests build-tsan reader
