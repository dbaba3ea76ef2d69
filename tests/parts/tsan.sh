# TSan looks at what threads share: memory, streams, readers, datasets, allocators and
# writers. Of test_record nothing else has threads.
configure_sanitizer tsan
compile build-tsan tests/test_base tests/test_compression tests/test_source \
  tests/test_reader tests/test_dataset tests/test_allocator tests/test_record
run_tests build-tsan base compression source reader dataset allocator
expect build-tsan/tests/test_record --gtest_brief=1 \
  --gtest_filter='BlockWriter.*'
