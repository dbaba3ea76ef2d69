# A wheel for AArch64, built here, works with Debian's Python under an emulator, and
# so do those tests of the package that start no programs.
./dev wheel --aarch64
sysroot=build-sysroot/arm64 venv=build-wheel/python3.11-aarch64
rm -rf "$venv/installed"
# What makes and checks the package is not for the other machine.
grep -vE '^(nanobind|basedpyright|mypy)=' tests/requirements.txt >"$venv/tested.txt"
"$venv/bin/pip" install -q --target "$venv/installed" \
  --only-binary :all: --python-version 3.11 \
  --platform manylinux_2_34_aarch64 --platform manylinux_2_28_aarch64 \
  --platform manylinux_2_27_aarch64 --platform manylinux2014_aarch64 \
  dist/*_aarch64.whl -r "$venv/tested.txt"
emulated=(
  qemu-aarch64 -L "$sysroot" -E "PYTHONPATH=$venv/installed:tests/python/support"
)
expect "${emulated[@]}" "$sysroot/usr/bin/python3.11" tests/package/wheel_smoke.py
expect "${emulated[@]}" "$sysroot/usr/bin/python3.11" -m pytest -q -rs \
  -p no:cacheprovider tests/python/test_{arrays,batch,elwc,parse,spec,tfds,writer}.py
expect "${emulated[@]}" "$venv/installed/headrace/bin/headrace" --version
