vcpkg_from_github(
  OUT_SOURCE_PATH SOURCE_PATH
  REPO headrace/headrace
  REF "v${VERSION}"
  # Of the archive, when there is one.
  SHA512 0
  HEAD_REF main
)
vcpkg_configure_meson(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS
    -Dtests=false
    -Dbenchmarks=false
    -Dcli=false
)
vcpkg_install_meson()
vcpkg_fixup_pkgconfig()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/headrace)
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
