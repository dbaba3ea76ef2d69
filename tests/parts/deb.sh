# Debian's packages of this tree: built, checked by lintian, unpacked and used.
need_packages "${build_packages[@]}" python3 build-essential debhelper lintian \
  man-db
version=$(sed -n "s/^  version: '\(.*\)',/\1/p" meson.build)
rm -rf build-deb
mkdir -p "build-deb/headrace-$version"
git ls-files -z | xargs -0 tar -c | tar -x -C "build-deb/headrace-$version"
(
  cd "build-deb/headrace-$version"
  DEB_BUILD_OPTIONS="parallel=$JOBS noautodbgsym" dpkg-buildpackage -b -us -uc
)
expect lintian --profile debian --fail-on error build-deb/*.changes
for package in build-deb/*.deb; do dpkg-deb -x "$package" build-deb/root; done
expect python3 tests/package/deb_check.py build-deb/root
