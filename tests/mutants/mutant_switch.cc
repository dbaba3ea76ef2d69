// HEADRACE_MUTANT is the number of the mutant that is active. The places of
// mutants that the program runs are marked in the file HEADRACE_REACHED, which
// child processes share.

#include "tests/mutants/mutant_switch.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>

namespace headrace::mutants {
namespace {

constexpr size_t kMax = 1 << 16;
unsigned char unwanted[kMax];

// Before constructors of the program's own, which may run mutants.
[[gnu::constructor(101)]] void ReadEnvironment() {
  if (const char* number = std::getenv("HEADRACE_MUTANT")) {
    active = std::atoi(number);
  }
  const char* const path = std::getenv("HEADRACE_REACHED");
  if (path == nullptr) return;
  const int file = open(path, O_RDWR | O_CREAT, 0600);
  if (file < 0 || ftruncate(file, kMax) != 0) std::abort();
  void* const shared =
      mmap(nullptr, kMax, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (shared == MAP_FAILED) std::abort();
  reached = static_cast<unsigned char*>(shared);
}

}  // namespace

int active = -1;
volatile unsigned char* reached = unwanted;

}  // namespace headrace::mutants
