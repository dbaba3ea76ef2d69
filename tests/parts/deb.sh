# Debian's packages of this tree: built, checked by lintian, unpacked and used.
need_packages lintian man-db
git ls-files -z | tar -c --null -T - | build_debs
expect lintian --profile debian --fail-on error build-deb/*.changes
for package in build-deb/*.deb; do dpkg-deb -x "$package" build-deb/root; done
expect python3 tests/package/deb_check.py build-deb/root
