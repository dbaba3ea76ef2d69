# Each header compiles alone.
need_packages "${build_packages[@]}" "${test_packages[@]}"
expect python3 tests/lint/check_headers.py
