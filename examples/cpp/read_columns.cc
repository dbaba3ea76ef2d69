// Sums up a feature of TFRecord files without a spec: read_columns FILE...

#include <cstdio>
#include <string>
#include <vector>

#include "headrace/reader.h"

int main(int argc, char** argv) {
  std::vector<std::string> paths(argv + 1, argv + argc);
  auto reader = headrace::Reader::Open(paths, {.features = {"id", "tag"}});
  if (!reader) {
    std::fprintf(stderr, "%s\n", reader.status().ToString().c_str());
    return 1;
  }
  int64_t sum = 0;
  size_t tagged = 0;
  while (auto batch = reader->Next()) {
    // A column has a list of values for each row, which begins at offsets[i]
    // for row i. This program uses all values.
    for (int64_t id : batch->Find("id")->int64s()) sum += id;
    tagged += batch->Find("tag")->num_values();
  }
  // Next returns no batch at the end, and none after an error.
  if (!reader->status().ok()) {
    std::fprintf(stderr, "%s\n", reader->status().ToString().c_str());
    return 1;
  }
  std::printf("sum of ids %lld, %zu tags\n", static_cast<long long>(sum),
              tagged);
  // Anything else the reader noticed, such as records of another message type.
  for (const headrace::Notice& notice : reader->report().notices) {
    std::fprintf(stderr, "%s\n", headrace::NoticeText(notice).c_str());
  }
}
