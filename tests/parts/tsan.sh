# TSan looks at what threads share. Only readers and datasets have any.
configure_sanitizer tsan
compile build-tsan tests/test_reader tests/test_dataset
run_tests build-tsan reader dataset
