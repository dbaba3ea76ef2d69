// The C interface without memory: every allocation fails once, and the caller
// gets a code and an error nevertheless.

#include "headrace/c.h"

#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/arrow/c_data_checker.h"
#include "tests/c/c_calls.h"
#include "tests/out_of_memory/every_allocation.h"
#include "tests/random/random_example.h"
#include "tests/support/record_file.h"
#include "tests/support/temporary_file.h"

namespace headrace::testing {
namespace {

constexpr const char* kOptions =
    "{\"batch_size\": 5, \"verify_unselected\": true, \"bytes_as\": \"view\", "
    "\"schema\": \"feature { name: \\\"c\\\" type: INT }\"}";

std::vector<std::string> SomeMessages() {
  RandomExample random(/*seed=*/83, {.plain = true, .max_features = 3});
  std::vector<std::string> records;
  for (int i = 0; i < 12; ++i) records.push_back(random.Next());
  return records;
}

// Makes calls until one fails.
class Calls {
 public:
  explicit Calls(FailingAllocator* allocator) : allocator_(allocator) {}

  template <class Function>
  bool Succeed(Function&& function) {
    headrace_error* error = nullptr;
    const int32_t code = allocator_->During([&] { return function(&error); });
    EXPECT_EQ(code == HEADRACE_OK, error == nullptr);
    const CError owned(error);
    if (error == nullptr) return true;
    EXPECT_EQ(error->code, code);
    EXPECT_NE(error->message[0], '\0');
    outcome.status = code == HEADRACE_OUT_OF_MEMORY
                         ? Status::OutOfMemory()
                         : Status(ErrorCode::kIo, error->message);
    return false;
  }
  void AddRows(const ArrowArray& array, const ArrowSchema& schema) {
    for (std::string& row : RowTexts(schema, array)) {
      outcome.parts.push_back(std::move(row));
    }
  }

  Outcome outcome;

 private:
  FailingAllocator* allocator_;
};

template <class Attempts>
void FailCalls(Attempts attempts) {
  FailEveryAllocation(Whose::kThisThread, [&](FailingAllocator* allocator) {
    Calls calls(allocator);
    attempts(&calls);
    return calls.outcome;
  });
}

TEST(CWithoutMemory, Reader) {
  const TemporaryFile file(RecordFile(SomeMessages()));
  const char* const paths[] = {file.path().c_str()};
  FailCalls([&](Calls* calls) {
    headrace_reader* opened = nullptr;
    if (!calls->Succeed([&](headrace_error** error) {
          return headrace_open(paths, 1, kOptions, &opened, error);
        })) {
      return;
    }
    const CReader reader(opened);
    while (true) {
      Owned<ArrowArray> array;
      Owned<ArrowSchema> schema;
      if (!calls->Succeed([&](headrace_error** error) {
            return headrace_next(opened, &array, &schema, error);
          })) {
        EXPECT_TRUE(array.is_released() && schema.is_released());
        return;
      }
      if (array.is_released()) break;
      calls->AddRows(*array, *schema);
    }
    char* json = nullptr;
    if (calls->Succeed([&](headrace_error** error) {
          return headrace_report(opened, &json, error);
        })) {
      calls->outcome.rest = json;
    }
    headrace_text_free(json);
  });
}

TEST(CWithoutMemory, Dataset) {
  const TemporaryFile file(RecordFile(SomeMessages()));
  const char* const paths[] = {file.path().c_str()};
  const uint64_t rows[] = {3, 11};
  FailCalls([&](Calls* calls) {
    headrace_dataset* opened = nullptr;
    Owned<ArrowArray> array;
    Owned<ArrowSchema> schema;
    Owned<ArrowArrayStream> stream;
    const auto open = [&](headrace_error** error) {
      return headrace_dataset_open(
          paths, 1, "{\"schema\": \"feature { name: \\\"c\\\" type: INT }\"}",
          &opened, error);
    };
    if (!calls->Succeed(open)) return;
    const CDataset dataset(opened);
    if (!calls->Succeed([&](headrace_error** error) {
          return headrace_dataset_take(opened, rows, 2, &array, &schema, error);
        })) {
      return;
    }
    calls->AddRows(*array, *schema);
    calls->Succeed([&](headrace_error** error) {
      return headrace_dataset_stream(opened, "{\"shuffle\": {\"block\": 2}}",
                                     &stream, error);
    });
  });
}

TEST(CWithoutMemory, PlanAndDecode) {
  const std::vector<std::string> messages = SomeMessages();
  std::vector<const void*> records;
  std::vector<size_t> sizes;
  for (const std::string& message : messages) {
    records.push_back(message.data());
    sizes.push_back(message.size());
  }
  FailCalls([&](Calls* calls) {
    headrace_plan* compiled = nullptr;
    Owned<ArrowArray> array;
    Owned<ArrowSchema> schema;
    if (!calls->Succeed([&](headrace_error** error) {
          return headrace_plan_compile(
              "{\"spec\": {\"features\": [{\"name\": \"c\", \"kind\": "
              "\"var_len\", \"dtype\": \"int64\"}]}}",
              &compiled, error);
        })) {
      return;
    }
    const CPlan plan(compiled);
    if (calls->Succeed([&](headrace_error** error) {
          return headrace_decode(compiled, records.data(), sizes.data(),
                                 records.size(), nullptr, &array, &schema,
                                 error);
        })) {
      calls->AddRows(*array, *schema);
    }
  });
}

TEST(CWithoutMemory, Write) {
  const TemporaryFile file(RecordFile(SomeMessages()));
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/out";
  FailCalls([&](Calls* calls) {
    Owned<ArrowArrayStream> stream;
    const CReader reader = Open(file.path());
    ASSERT_EQ(Call(headrace_stream, reader.get(), &stream), "");
    if (calls->Succeed([&](headrace_error** error) {
          return headrace_write(&stream, path.c_str(), "{\"threads\": 1}",
                                error);
        })) {
      calls->outcome.rest = ContentOf(path);
    } else if (calls->outcome.status.code() != ErrorCode::kOutOfMemory) {
      // The reader told its stream so.
      EXPECT_NE(calls->outcome.status.ToString().find("out of memory"),
                std::string::npos);
      calls->outcome.status = Status::OutOfMemory();
    }
  });
}

}  // namespace
}  // namespace headrace::testing
