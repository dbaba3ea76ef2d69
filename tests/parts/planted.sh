# Mistakes in a reader that is not ours: a fuzzer finds them in a minute with
# headrace/fuzzing.h, and does not by changing bytes alone.
need_packages "${build_packages[@]}" clang libclang-rt-14-dev
configure build-fuzz --native-file tests/native/fuzz.ini
compile build-fuzz fuzz/planted_{crc,bound}_{blind,knowing}
planted() {
  "build-fuzz/fuzz/planted_$1" -max_total_time=60 -max_len=4096 -seed=1 \
    -artifact_prefix=build-fuzz/planted- -verbosity=0 >"build-fuzz/planted_$1.log" 2>&1
}
for bug in crc bound; do
  expect eval "! planted ${bug}_knowing"
  expect grep -qE 'heap-buffer-overflow|deadly signal' "build-fuzz/planted_${bug}_knowing.log"
  expect planted "${bug}_blind"
done
