# TSan looks at what threads share: memory, streams, readers and datasets.
configure_sanitizer tsan
compile build-tsan tests/test_base tests/test_compression tests/test_source \
  tests/test_reader tests/test_dataset
run_tests build-tsan base compression source reader dataset
