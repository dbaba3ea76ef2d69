# The decoder alone: -Dstats=false -Dtfds=false leave the leaves out.
need_packages "${build_packages[@]}" "${test_packages[@]}"
configure build-leaves -Dstats=false -Dtfds=false -Dbenchmarks=false \
  "${python_options[@]}"
compile build-leaves
run_tests build-leaves --suite cpp --suite conformance
run_tests build-leaves cli_leaves cli_arrow cli_convert cli_damage cli_get \
  cli_reading cli_shuffle python_leaves python_reader python_dataset
