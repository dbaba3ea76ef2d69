# The benchmarks run shortly: they do what they are for, and print figures that
# mean nothing.
build_release benchmarks
run_tests build --suite bench
