// A program outside the tree, which sees only what was installed. It links
// enough of the library to need everything that the library needs.
#include <cstdio>
#include <string>

#include "headrace/reader.h"
#include "headrace/version.h"

int main() {
  const auto reader = headrace::Reader::Open({"no/such.tfrecord"});
  const std::string code(headrace::NameOf(reader.status().code()));
  std::printf("%s %s\n", HEADRACE_VERSION_STRING, code.c_str());
}
