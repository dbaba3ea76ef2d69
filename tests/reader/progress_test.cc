// Any thread may ask how far another one is. The sanitizer of threads says
// whether that is safe.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "headrace/reader.h"
#include "headrace/record_reader.h"
#include "headrace/record_writer.h"
#include "src/read/reader/byte_reader.h"
#include "tests/reader/inputs/record_files.h"
#include "tests/support/matchers.h"
#include "tests/support/or_throw.h"
#include "tests/support/record_file.h"
#include "tests/support/temporary_file.h"

namespace headrace::testing {
namespace {

// Asks on a thread of its own while `work` goes on; numbers only grow.
template <class Work>
void Watch(const std::function<uint64_t()>& ask, Work work) {
  std::atomic<bool> ended = false;
  bool grew_alone = true;
  std::thread watcher([&] {
    for (uint64_t last = 0; !ended;) {
      const uint64_t now = ask();
      grew_alone &= now >= last;
      last = now;
    }
  });
  work();
  ended = true;
  watcher.join();
  EXPECT_TRUE(grew_alone);
}

TEST(Progress, MayBeAskedForByOtherThreads) {
  const std::string bytes = RecordFile(IdRecords(0, 20000));
  const TemporaryFile file(bytes);
  for (const size_t threads : {1u, 3u}) {
    Reader reader =
        OrThrow(Reader::Open({file.path()}, IdPlan(), {.threads = threads}));
    Watch(
        [&] {
          return reader.num_records() + reader.num_bytes() +
                 reader.stored_position() + reader.stored_size();
        },
        [&] {
          while (reader.Next()) {
          }
        });
    EXPECT_THAT(reader.status(), IsOk());
    EXPECT_EQ(reader.num_records(), 20000u);
  }
  RecordReader records = OrThrow(RecordReader::Open(file.path()));
  Watch([&] { return records.position() + records.stored_position(); },
        [&] {
          while (records.Next()) {
          }
        });
  EXPECT_EQ(records.position(), bytes.size());
  EXPECT_EQ(records.stored_position(), bytes.size());
  ByteReader windows = OrThrow(ByteReader::Open(file.path()));
  Watch([&] { return windows.position(); },
        [&] {
          while (windows.Next()) {
          }
        });
  EXPECT_EQ(windows.position(), bytes.size());
  const TemporaryFile out("");
  RecordWriter writer = OrThrow(RecordWriter::Open(out.path()));
  Watch([&] { return writer.num_records() + writer.num_bytes(); },
        [&] {
          for (int i = 0; i < 20000; ++i) {
            EXPECT_THAT(writer.Write("x"), IsOk());
          }
        });
  EXPECT_EQ(writer.num_records(), 20000u);
}

}  // namespace
}  // namespace headrace::testing
