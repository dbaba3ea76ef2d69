// EncodeExamples serializes Arrow arrays as tf.train messages; BinaryValues
// returns messages that an array already holds.
//
// Use EncodeExamples to write data of any library that exports Arrow: it is the
// inverse of reading columns and exporting them (headrace/arrow.h), and
// RecordWriter writes what it returns. Types and rules: docs/formats/arrow.md.

#ifndef HEADRACE_EXAMPLE_ENCODER_H_
#define HEADRACE_EXAMPLE_ENCODER_H_

#include <string>
#include <string_view>
#include <vector>

#include "headrace/arrow.h"
#include "headrace/export.h"
#include "headrace/feature_kinds.h"
#include "headrace/status.h"

namespace headrace {

struct EncodeOptions {
  // Round float64 to the nearest float32, ties to even; a finite value that
  // would become infinite is still an error. Default false: a column of float64
  // is an error. Other types are always kept exactly or refused.
  bool allow_narrowing = false;
  // If set, `*kinds` must allow the kind of every column that has a value (the
  // errors are those of FeatureKinds::Add); after success these kinds are added
  // to it. If `*kinds` was made from a plan, a column of numbers is converted
  // to the kind that the plan has for its key: integers are rounded to float32,
  // whole floats become int64; any other value is kInvalidArgument. The caller
  // keeps ownership. Default: null, any kinds.
  FeatureKinds* kinds = nullptr;
};

// Returns one message per row of `batch`, which is a struct array of type
// `schema`, as record batches are exported. The messages are SequenceExamples
// if the schema has a struct column ##SEQUENCE##, otherwise Examples. A message
// lacks the features whose cells are null; an empty list becomes an empty list
// of its kind. The bytes are canonical, like those of SerializeMessage.
//
// kInvalidArgument, with the column and, for a value, the row as record: a type
// that no feature holds, a structure that contradicts itself, a null inside a
// list, a number out of range, a name given twice or not UTF-8. kLimit: a
// message of 2^31 bytes or more. kOutOfMemory.
//
// The caller keeps both structures, which are only read. Their contents are
// checked, but the sizes of their buffers cannot be. Any number of threads may
// call this function.
HEADRACE_EXPORT Result<std::vector<std::string>> EncodeExamples(
    const ArrowSchema& schema, const ArrowArray& batch,
    const EncodeOptions& options = {});

// Returns the values of an array of type binary, large_binary, binary_view or a
// string type, such as serialized messages for a Decoder. kInvalidArgument for
// another type (then expected and found name types), a structure that
// contradicts itself, a null, or a view outside its buffer. The message of such
// an error is a sentence without its subject: put "the array" in front of it
// or, if `record` is known, "value N". kOutOfMemory.
//
// The values point into the array, which stays the caller's and must outlive
// them. Checks and rules for threads are those of EncodeExamples.
HEADRACE_EXPORT Result<std::vector<std::string_view>> BinaryValues(
    const ArrowSchema& schema, const ArrowArray& array);

}  // namespace headrace

#endif  // HEADRACE_EXAMPLE_ENCODER_H_
