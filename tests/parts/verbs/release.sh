# ./dev release: the files of a release of the last commit, in dist/. docs/verify.md
# describes them. The same commit gives the same bytes where built-with.txt is the same.
need_packages git
[ -z "$(git status --porcelain)" ] ||
  fail "release takes the last commit, but the tree differs from it; see git status"
version=$(git show HEAD:meson.build | sed -n "s/^  version: '\(.*\)',/\1/p")
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH LC_ALL=C.UTF-8 TZ=UTC
# Modes of archived files follow these two.
umask 022
export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=tar.umask GIT_CONFIG_VALUE_0=022

# Meson does not make again what only SOURCE_DATE_EPOCH changes.
rm -rf build-python3*
set --
source tests/parts/verbs/wheel.sh
say "source archive"
PATH="$PWD/$venv/bin:$PATH" CC=gcc CXX=g++ \
  python -c 'import mesonpy; mesonpy.build_sdist("dist")' >/dev/null
say "packages of Debian"
git archive HEAD | build_debs
cp build-deb/*.deb dist
say "components, tools, digests"
cp "build-$(basename "$venv")/packaging/headrace.spdx.json" "dist/headrace-$version.spdx.json"
{
  echo "commit $(git rev-parse HEAD)"
  sed -n '/^Installed-Build-Depends:/,/^Environment:/s/^ //p' build-deb/*.buildinfo
  "$venv/bin/pip" freeze --all
} >"dist/headrace-$version.built-with.txt"
(cd dist && sha256sum -- * >SHA256SUMS)
for python in "${wheel_pythons[@]}"; do
  "$python" -c pass 2>/dev/null || say "no wheel by $python, which is not installed"
done
cat dist/SHA256SUMS
