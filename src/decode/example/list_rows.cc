#include "src/decode/example/list_rows.h"

#include "src/plan/compile/program.h"

namespace headrace::decode {

void ListRows::Forget() {
  ends.assign(1, 0);
  sizes.clear();
  late.Clear();
}

void ListRows::Start(const plan::Program& program) {
  const plan::ListParts& parts = *program.lists();
  columns.Start(parts.examples->slots(), parts.examples->keeps_nulls());
  unread.Start(parts.unread->slots(), /*keep_nulls=*/false);
  if (parts.wrapper) {
    wrapper.Start(parts.wrapper->slots(), /*keep_nulls=*/false);
  }
  Forget();
}

void ListRows::StartAfresh(const plan::Program& program) {
  const plan::ListParts& parts = *program.lists();
  columns.StartAfresh(parts.examples->slots(), parts.examples->keeps_nulls());
  Forget();
}

}  // namespace headrace::decode
