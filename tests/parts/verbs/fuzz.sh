# ./dev fuzz TARGET [SECONDS]: see fuzz/README.md.
target=${1:-} seconds=${2:-0}
names=(fuzz/fuzz_*.cc)
names=("${names[@]#fuzz/fuzz_}")
[ -f "fuzz/fuzz_$target.cc" ] || fail "fuzz takes a target: ${names[*]%.cc}"
[[ $seconds =~ ^[0-9]+$ ]] || fail "fuzz takes seconds, not $seconds"
need_packages "${build_packages[@]}" python3 clang libclang-rt-14-dev
configure build-fuzz --native-file tests/native/fuzz.ini
compile build-fuzz "fuzz/fuzz_$target"
corpus=build-fuzz/corpus/$target
python3 fuzz/corpus.py unpack "fuzz/corpus/$target.tfrecord.gz" "$corpus"
case $target in
  diff | example | groups | sequence) dictionary=fuzz/dictionaries/wire.dict ;;
  *) dictionary=fuzz/dictionaries/$target.dict ;;
esac
args=()
[ ! -f "$dictionary" ] || args+=("-dict=$dictionary")
# No input may take long or much memory.
UBSAN_OPTIONS=print_stacktrace=1 "build-fuzz/fuzz/fuzz_$target" \
  -max_total_time="$seconds" -max_len=4096 -timeout=25 -rss_limit_mb=2560 \
  -artifact_prefix=build-fuzz/ -print_final_stats=1 "${args[@]}" "$corpus"
