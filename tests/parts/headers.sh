# Each header compiles alone, and what headers and pages show does, too.
need_packages "${build_packages[@]}" "${test_packages[@]}"
expect python3 tests/lint/check_headers.py
expect python3 tests/package/samples_test.py clang++
