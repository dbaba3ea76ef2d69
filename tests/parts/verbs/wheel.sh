# ./dev wheel [PYTHON...]: builds dist/*.whl, with the libraries that are not
# part of every Linux: one for 3.11, one for 3.12 and all later versions, and one
# for each version without a GIL.
# ./dev wheel --aarch64: instead of these, that for 3.11 of AArch64.
need_packages "${build_packages[@]}" python3-dev python3-venv
rm -rf dist

# wheel_venv PYTHON VENV: with what builds wheels. Debian 12's pip takes only the last
# of several settings of one name.
wheel_venv() {
  need_venv "$2" packaging/requirements.txt "$1"
  rm -f "$2"/*.whl
}

# build_wheel VENV OPTION...: VENV/*.whl. VENV/symbols.o is packaging/wheel_symbols.c.
build_wheel() {
  local wait=_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE
  # With the flags and from the depth of build/, for a compiler cache.
  PATH="$PWD/$1/bin:$PATH" "$1/bin/pip" wheel -q --no-deps --no-build-isolation -w "$1" \
    "--config-settings=build-dir=build-$(basename "$1")" \
    --config-settings=setup-args=-Dwerror=true \
    "--config-settings=setup-args=-Dcpp_link_args=['-Wl,--wrap=$wait,$PWD/$1/symbols.o']" \
    "${@:2}" .
}

# repair_wheel VENV: dist/*.whl of VENV/*.whl.
repair_wheel() {
  PATH="$PWD/$1/bin:$PATH" auditwheel repair -w dist "$1"/*.whl
}

if [ "${1:-}" = --aarch64 ]; then
  say "wheel for AArch64"
  need_packages "${cross_packages[@]}"
  sysroot=$PWD/build-sysroot/arm64 venv=build-wheel/python3.11-aarch64
  tests/cross/sysroot arm64 "$sysroot" \
    "${sysroot_packages[@]}" "${aarch64_packages[@]}"
  wheel_venv python3.11 "$venv"
  clang --target=aarch64-linux-gnu "--sysroot=$sysroot" \
    -O2 -fPIC -c packaging/wheel_symbols.c -o "$venv/symbols.o"
  # This machine's Python takes itself for that of the folder.
  mkdir -p "$venv/data"
  cp "$sysroot/usr/lib/python3.11/_sysconfigdata__aarch64-linux-gnu.py" "$venv/data"
  PYTHONPATH="$PWD/$venv/data" \
    _PYTHON_HOST_PLATFORM=linux-aarch64 \
    _PYTHON_SYSCONFIGDATA_NAME=_sysconfigdata__aarch64-linux-gnu \
    build_wheel "$venv" \
    "--config-settings=setup-args=--cross-file=$sysroot/sysroot.ini" \
    "--config-settings=setup-args=--cross-file=$PWD/tests/cross/aarch64.ini"
  LD_LIBRARY_PATH="$sysroot/usr/lib/aarch64-linux-gnu" repair_wheel "$venv"
  ls -l dist >&2
  exit
fi

[ $# -gt 0 ] || set -- "${wheel_pythons[@]}"
has_abi3=
for python; do
  "$python" -c pass 2>/dev/null || continue
  # Without a GIL there is no stable interface.
  abi3=$("$python" -c 'import sys, sysconfig; print(
    sys.version_info >= (3, 12) and not sysconfig.get_config_var("Py_GIL_DISABLED"))')
  [ "$abi3" = False ] || [ -z "$has_abi3" ] || continue
  say "wheel for $python"
  venv=build-wheel/$(basename "$python")
  wheel_venv "$python" "$venv"
  gcc -O2 -fPIC -c packaging/wheel_symbols.c -o "$venv/symbols.o"
  CC=gcc CXX=g++ build_wheel "$venv"
  if [ "$abi3" = True ]; then
    has_abi3=yes
    "$venv/bin/wheel" tags --remove --python-tag cp312 --abi-tag abi3 "$venv"/*.whl
  fi
  repair_wheel "$venv"
done
[ -d dist ] || fail "none of $* is installed"
ls -l dist >&2
