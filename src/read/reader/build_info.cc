#include "src/read/reader/build_info.h"

#include "headrace/version.h"
#include "src/decode/example/decode_block.h"
#include "src/input/crc32c/crc32c.h"
#include "src/input/deflate/raw_inflate.h"

namespace headrace {

BuildInfo GetBuildInfo() {
  BuildInfo info;
  info.version = HEADRACE_VERSION_STRING;
#ifdef __clang__
  info.compiler = "clang " __clang_version__;
#else
  info.compiler = "gcc " __VERSION__;
#endif
  info.targets = decode::DecodeTargets();
  info.target = decode::DecodeTarget();
  info.crc = record::Crc32cPath();
  info.inflate = HEADRACE_HAVE_ISAL ? "ISA-L" : "zlib";
  return info;
}

}  // namespace headrace
