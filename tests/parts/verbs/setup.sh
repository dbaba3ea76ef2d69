# Set-up: the packages, virtual environments and build folders of ./dev.

build_packages=(
  g++ meson ninja-build pkg-config
  libhwy-dev libabsl-dev libxxhash-dev libisal-dev zlib1g-dev libsnappy-dev
  libdeflate-dev libzstd-dev libflatbuffers-dev flatbuffers-compiler
  nlohmann-json3-dev libcli11-dev
  libgtest-dev libgmock-dev libbenchmark-dev libprotobuf-dev protobuf-compiler
)
test_packages=(
  python3 python3-dev python3-venv git cmake
  clang libclang-rt-14-dev clang-format valgrind ccache abigail-tools
  zsh fish mandoc
)
# What is needed to build for another architecture, and the packages unpacked for
# it; those of AArch64 are enough for the Python package, too.
cross_packages=(clang binutils-aarch64-linux-gnu qemu-user)
sysroot_packages=(
  libc6-dev libstdc++-12-dev
  libhwy-dev libabsl-dev libxxhash-dev zlib1g-dev libsnappy-dev libzstd-dev
  libdeflate-dev libflatbuffers-dev nlohmann-json3-dev
  libgtest-dev libgmock-dev libprotobuf-dev
)
aarch64_packages=(libisal-dev libcli11-dev libpython3.11-dev python3.11)
# Wheels are for those of them that are installed; t: without a GIL.
wheel_pythons=(python3.{11,12,13,14} python3.{13,14}t)
# The options of a build folder with the Python package, for .venv.
python_options=(-Dpython=enabled "-Dpython_program=$PWD/.venv/bin/python3")

# Colour is for people only.
bold='' plain=''
if [ -t 2 ] && [ -z "${NO_COLOR:-}" ]; then bold=$'\e[1m' plain=$'\e[0m'; fi
say() { echo "$bold== $*$plain" >&2; }
fail() { echo "dev: $*" >&2; exit 1; }

# need_packages PACKAGE...: installs those that are absent.
need_packages() {
  if ! command -v dpkg-query >/dev/null; then
    say "not a Debian system: taking for granted $*"
    return
  fi
  local missing sudo=()
  mapfile -t missing < <(comm -23 <(printf '%s\n' "$@" | sort) \
    <(dpkg-query -W -f='${db:Status-Status} ${Package}\n' "$@" 2>/dev/null |
      sed -n 's/^installed //p' | sort -u))
  [ "${#missing[@]}" -gt 0 ] || return 0
  say "installing ${missing[*]}"
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || fail "needs root to install: ${missing[*]}"
    sudo=(sudo)
  fi
  "${sudo[@]}" apt-get update -qq
  "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends "${missing[@]}"
}

# need_venv DIR REQUIREMENTS [PYTHON]: makes DIR anew when what it needs has
# changed. A package whose line ends in "# alone" is installed without the packages that
# it asks for.
need_venv() {
  local dir=$1 requirements=$2 python=${3:-python3} alone
  cmp -s "$requirements" "$dir/requirements.txt" && return
  say "Python packages in $dir"
  rm -rf "$dir"
  mapfile -t alone < <(sed -n 's/ *# alone$//p' "$requirements")
  "$python" -m venv "$dir" &&
    "$dir/bin/pip" install -q -r <(grep -v '# alone$' "$requirements") &&
    { [ ${#alone[@]} = 0 ] || "$dir/bin/pip" install -q --no-deps "${alone[@]}"; } &&
    cp "$requirements" "$dir/requirements.txt"
}

# configure DIR ARGS...: sets a build folder up once.
configure() {
  [ -f "$1/build.ninja" ] && return
  say "configuring $1"
  rm -rf "$1"
  meson setup "$@"
}

# compile DIR [TARGET...]: these targets of a build folder, or all.
compile() { ninja -C "$1" -j "$JOBS" "${@:2}"; }

# build_release [TARGET...]: these targets of the release build, or all.
build_release() {
  need_packages "${build_packages[@]}"
  CC=gcc CXX=g++ configure build
  compile build "$@"
}

# configure_package: the release build with the Python package. In a folder of
# ./dev build warnings are warnings, and Python is left out.
configure_package() {
  CC=gcc CXX=g++ configure build -Dwerror=true "${python_options[@]}"
  meson introspect build --buildoptions | tr -d '\n' |
    grep -qE '"name": "python", "value": "enabled".*"name": "werror", "value": true' ||
    meson configure build -Dwerror=true "${python_options[@]}"
}

# build_package: the Python package of that build.
build_package() {
  need_packages "${build_packages[@]}" python3-dev python3-venv
  need_venv .venv tests/requirements.txt
  configure_package
  local targets
  mapfile -t targets < <(ninja -C build -t targets all |
    sed -n 's/^\(python\/[^:]*\): \(cpp_LINKER\|CUSTOM_COMMAND\).*/\1/p')
  compile build "${targets[@]}"
}

# build_debs: Debian's packages of the tree in the tar on standard input, in build-deb.
build_debs() {
  need_packages "${build_packages[@]}" python3 build-essential debhelper
  rm -rf build-deb
  mkdir -p build-deb/source
  tar -x -C build-deb/source
  (
    cd build-deb/source
    DEB_BUILD_OPTIONS="parallel=$JOBS noautodbgsym" dpkg-buildpackage -b -us -uc
  )
}
