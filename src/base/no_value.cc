// The only function of the library that prints or ends the process. It is the
// only function of its object file, which a test relies on
// (tests/package/symbols_test.py).

#include <cstdio>
#include <cstdlib>
#include <string>

#include "headrace/status.h"

namespace headrace {

void NoValue(const Status& status) {
  const std::string why =
      status.ok() ? "the stream is at its end (test the Result itself, not "
                    "ok(), before its value is used)"
                  : status.ToString();
  std::fprintf(stderr, "headrace: a Result has no value: %s\n", why.c_str());
  std::abort();
}

}  // namespace headrace
