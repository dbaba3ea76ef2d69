#include "src/cli/version.h"

#include <string>

#include "src/read/reader/build_info.h"

namespace headrace::cli {

ExitCode PrintVersion() {
  const BuildInfo info = GetBuildInfo();
  std::string targets;
  for (const std::string& target : info.targets) {
    targets += (targets.empty() ? "" : " ") + target;
  }
  return Print("headrace " + info.version +          //
               "\ncompiler      " + info.compiler +  //
               "\nSIMD targets  " + targets + " (using " + info.target + ")" +
               "\nCRC32C        " + info.crc +  //
               "\ninflate       " + info.inflate + "\n");
}

}  // namespace headrace::cli
