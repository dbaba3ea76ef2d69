// headrace_write: streams in, files out.

#include <cerrno>
#include <string>
#include <utility>
#include <vector>

#include "headrace/record_reader.h"
#include "tests/c/c_calls.h"
#include "tests/random/random_example.h"
#include "tests/support/compressions.h"
#include "tests/support/example_builder.h"
#include "tests/support/matchers.h"
#include "tests/support/record_file.h"
#include "tests/support/temporary_file.h"

namespace headrace::testing {
namespace {

std::string Write(ArrowArrayStream* stream, const std::string& path,
                  const char* options) {
  return Call(headrace_write, stream, path.c_str(), options);
}

void Stream(const std::string& path, ArrowArrayStream* stream) {
  const CReader reader = Open(path);
  EXPECT_EQ(Call(headrace_stream, reader.get(), stream), "");
}

Compression CompressionOf(const std::string& path) {
  auto reader = OrThrow(RecordReader::Open(path));
  EXPECT_TRUE(reader.Next().ok());
  return reader.compression();
}

TEST(CWriteTest, WhatIsReadBackIsTheSame) {
  RandomExample random(/*seed=*/5, {.plain = true});
  std::vector<std::string> records;
  for (int i = 0; i < 300; ++i) records.push_back(random.Next());
  const TemporaryFile file(RecordFile(records));
  const TemporaryFolder folder;
  for (const Compression compression : kCompressions) {
    const std::string path = folder.path() + "/out";
    const std::string options = "{\"compression\": \"" +
                                std::string(NameOf(compression)) +
                                "\", \"threads\": 2}";
    Owned<ArrowArrayStream> stream;
    Stream(file.path(), &stream);
    EXPECT_EQ(Write(&stream, path, options.c_str()), "");
    EXPECT_TRUE(stream.is_released());
    EXPECT_EQ(CompressionOf(path), compression);
    EXPECT_EQ(RestOf(Open(path)), RestOf(Open(file.path())));
  }
}

TEST(CWriteTest, TheNameSaysHowToCompress) {
  const TemporaryFile file(
      RecordFile({ExampleBuilder().Int64s("i", {1}).Build()}));
  const TemporaryFolder folder;
  for (const char* options :
       {"{}", "{\"level\": 9, \"block_bytes\": 4096, \"fsync\": true}"}) {
    Owned<ArrowArrayStream> stream;
    Stream(file.path(), &stream);
    EXPECT_EQ(Write(&stream, folder.path() + "/a.gz", options), "");
    EXPECT_EQ(CompressionOf(folder.path() + "/a.gz"), Compression::kGzip);
  }
}

// A stream of one column of float64, which fails where it is told to.
struct Doubles {
  enum class Fails { kNever, kInSchema, kInNext, kReleasedSchema };
  Fails fails = Fails::kNever;
  bool says_why = true;
  int batches = 1;
  int released = 0;

  double value = 1.5;
  const void* value_buffers[2] = {nullptr, &value};
  const void* row_buffers[1] = {nullptr};
  ArrowSchema schema_child = {};
  ArrowSchema* schema_children[1] = {&schema_child};
  ArrowArray child = {};
  ArrowArray* children[1] = {&child};
};

Doubles* DoublesOf(ArrowArrayStream* stream) {
  return static_cast<Doubles*>(stream->private_data);
}

void StreamDoubles(Doubles* state, ArrowArrayStream* out) {
  using Fails = Doubles::Fails;
  out->private_data = state;
  out->get_schema = [](ArrowArrayStream* stream, ArrowSchema* schema) {
    Doubles* const doubles = DoublesOf(stream);
    if (doubles->fails == Fails::kInSchema) return EIO;
    if (doubles->fails == Fails::kReleasedSchema) return 0;
    doubles->schema_child.format = "g";
    doubles->schema_child.name = "d";
    doubles->schema_child.release = [](ArrowSchema*) {};
    schema->format = "+s";
    schema->name = "";
    schema->n_children = 1;
    schema->children = doubles->schema_children;
    schema->release = [](ArrowSchema* self) { self->release = nullptr; };
    return 0;
  };
  out->get_next = [](ArrowArrayStream* stream, ArrowArray* array) {
    Doubles* const doubles = DoublesOf(stream);
    if (doubles->fails == Fails::kInNext) return EINVAL;
    if (doubles->batches-- <= 0) return 0;
    doubles->child.length = 1;
    doubles->child.n_buffers = 2;
    doubles->child.buffers = doubles->value_buffers;
    doubles->child.release = [](ArrowArray*) {};
    array->length = 1;
    array->n_buffers = 1;
    array->n_children = 1;
    array->buffers = doubles->row_buffers;
    array->children = doubles->children;
    array->release = [](ArrowArray* self) { self->release = nullptr; };
    return 0;
  };
  out->get_last_error = [](ArrowArrayStream* stream) {
    return DoublesOf(stream)->says_why ? "the tape is torn" : nullptr;
  };
  out->release = [](ArrowArrayStream* stream) {
    ++DoublesOf(stream)->released;
    stream->release = nullptr;
  };
}

std::string WriteDoubles(Doubles state, const std::string& path,
                         const char* options) {
  ArrowArrayStream stream = {};
  StreamDoubles(&state, &stream);
  // Its members point into itself.
  state.value_buffers[1] = &state.value;
  state.schema_children[0] = &state.schema_child;
  state.children[0] = &state.child;
  std::string message = Write(&stream, path, options);
  EXPECT_EQ(stream.release, nullptr);
  EXPECT_EQ(state.released, 1);
  return message;
}

TEST(CWriteTest, DoublesAreRoundedOnlyIfAsked) {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/d";
  EXPECT_THAT(WriteDoubles({}, path, nullptr), HasSubstr("column \"d\""));
  EXPECT_EQ(ContentOf(path), "");
  EXPECT_EQ(WriteDoubles({}, path, "{\"cast\": true}"), "");
  EXPECT_EQ(RestOf(Open(path)),
            std::vector<std::string>({"{d: [0x3fc00000]}"}));
}

TEST(CWriteTest, AStreamThatFailsLeavesNoFile) {
  using Fails = Doubles::Fails;
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/d";
  for (const Fails fails : {Fails::kInSchema, Fails::kInNext}) {
    EXPECT_EQ(WriteDoubles({.fails = fails}, path, nullptr),
              "io: the Arrow stream failed: the tape is torn");
    EXPECT_EQ(WriteDoubles({.fails = fails, .says_why = false}, path, nullptr),
              "io: the Arrow stream failed: it does not say why");
  }
  EXPECT_EQ(WriteDoubles({.fails = Fails::kReleasedSchema}, path, nullptr),
            "invalid_argument: the Arrow stream has a released schema");
  EXPECT_EQ(ContentOf(path), "");
}

TEST(CWriteTest, TheStreamIsReleasedWhateverIsWrong) {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/d";
  EXPECT_THAT(WriteDoubles({}, path, "{\"levle\": 3}"),
              HasSubstr("did you mean \"level\"?"));
  EXPECT_THAT(WriteDoubles({}, path, "{\"level\": 3}"),
              HasSubstr("invalid_argument"));
  EXPECT_THAT(WriteDoubles({}, folder.path() + "/no/d", nullptr),
              HasSubstr("/no/d"));
  Doubles state;
  ArrowArrayStream stream = {};
  StreamDoubles(&state, &stream);
  EXPECT_THAT(Call(headrace_write, &stream, static_cast<const char*>(nullptr),
                   static_cast<const char*>(nullptr)),
              HasSubstr("path is NULL"));
  EXPECT_EQ(stream.release, nullptr);
  EXPECT_EQ(state.released, 1);
}

}  // namespace
}  // namespace headrace::testing
