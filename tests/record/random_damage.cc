#include "tests/record/random_damage.h"

#include <algorithm>
#include <string>

namespace headrace::testing {
namespace {

void DamageOnce(Random* random, DamagedFile* file) {
  const size_t at = random->Below(file->size());
  switch (random->Below(8)) {
    case 0:
      file->FlipBit(at * 8 + random->Below(8));
      break;
    case 1:
      file->CutTo(at);
      break;
    case 2:
      file->Insert(at, std::string(1 + random->Below(40), '\0'));
      break;
    case 3:
      file->Delete(at, std::min(1 + random->Below(20), file->size() - at));
      break;
    case 4:
      file->Insert(at, RecordHeader(random->Below(200)));
      break;
    case 5:
      file->Insert(at, FramedRecord("stray"));
      break;
    case 6:
      file->Append(std::string(random->Below(20), '\x11'));
      break;
    default:
      file->Insert(at, RecordHeader(random->Bits() >> random->Below(64)));
      break;
  }
}

}  // namespace

void DamageAtRandom(Random* random, DamagedFile* file) {
  for (size_t times = random->Below(5); times > 0 && file->size() > 0;
       --times) {
    DamageOnce(random, file);
  }
}

}  // namespace headrace::testing
