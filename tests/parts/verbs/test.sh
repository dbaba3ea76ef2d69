# ./dev test: each file of tests/parts is a part, which builds in a folder of
# its own and calls the functions below.
usual_parts=(release wheel docs lint)
other_parts=(asan asan_rest leaves headers bench tsan wheels wheel_aarch64 deb dist
  msan i386 aarch64 mutants planted)

passed=0
failed=0

# expect COMMAND...: a test that Meson does not know.
expect() {
  if "$@"; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
}

# run_tests DIR ARGS...: runs a build folder's tests and counts what came of
# them.
run_tests() {
  local dir=$1 log=$1/meson-logs/testlog.json ok bad
  rm -f "$log"
  meson test -C "$dir" --no-rebuild --num-processes "$JOBS" \
    --print-errorlogs "${@:2}" || true
  [ -f "$log" ] || fail "no tests ran in $dir"
  ok=$(grep -cE '"result": "(OK|EXPECTEDFAIL)"' "$log" || true)
  # A skipped test proves nothing: it counts as failed.
  bad=$(grep -cvE '"result": "(OK|EXPECTEDFAIL)"' "$log" || true)
  passed=$((passed + ok))
  failed=$((failed + bad))
}

# compile_library_tests DIR [MORE]: the programs of the C++ tests of the library,
# and those whose paths begin with MORE.
compile_library_tests() {
  local programs
  mapfile -t programs < <(ninja -C "$1" -t targets all | sed -nE \
    "s,^((tests/test_|tests/conformance/|${2:-tests/test_})[^:]*): cpp_LINKER.*,\\1,p")
  compile "$1" "${programs[@]}"
}

# configure_sanitizer NAME ARGS...: sets build-NAME up by tests/native/NAME.ini.
configure_sanitizer() {
  configure "build-$1" --native-file tests/native/sanitizer.ini \
    --native-file "tests/native/$1.ini" "${@:2}"
}

# cross NAME DEBIAN_NAME LEFT_OUT PACKAGE...: the C++ tests of the library for
# another machine, except those that a pattern names.
cross() {
  local dir=build-$1 sysroot=build-sysroot/$2
  need_packages "${cross_packages[@]}"
  tests/cross/sysroot "$2" "$sysroot" "${sysroot_packages[@]}" "${@:4}"
  configure "$dir" --cross-file "$sysroot/sysroot.ini" \
    --cross-file "tests/cross/$1.ini" -Dwerror=true -Dbenchmarks=false \
    -Dcli=false
  compile_library_tests "$dir"
  # What starts its own program anew does not get past the emulator.
  GTEST_FILTER="-PeakMemory.*:$3" \
    run_tests "$dir" --suite cpp --suite conformance --timeout-multiplier 10
}

parts=("${usual_parts[@]}")
case "${1:-}" in
  '') ;;
  --all) parts+=("${other_parts[@]}") ;;
  --integrations) parts+=(integrations) ;;
  --only)
    parts=("${@:2}")
    [ "${#parts[@]}" -gt 0 ] || fail "--only needs the name of a part"
    for part in "${parts[@]}"; do
      [[ $part != */* && -f tests/parts/$part.sh ]] ||
        fail "no part $part; there are ${usual_parts[*]} ${other_parts[*]}"
    done
    ;;
  *) fail "test takes --all, --only or --integrations, not $1" ;;
esac
do_setup
times=()
for part in "${parts[@]}"; do
  say "tests, $part"
  begin=$SECONDS
  source "tests/parts/$part.sh"
  times+=("$part $((SECONDS - begin)) s")
done
printf '%s\n' "${times[@]}"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
