// What is made of Arrow arrays of other libraries: EncodeExamples serializes
// tf.train messages, BinaryValues finds those that are serialized already.
//
// EncodeExamples is the inverse of reading columns and exporting them
// (headrace/arrow.h). RecordWriter writes what it gives. Types and rules:
// docs/formats/arrow.md.

#ifndef HEADRACE_EXAMPLE_ENCODER_H_
#define HEADRACE_EXAMPLE_ENCODER_H_

#include <string>
#include <string_view>
#include <vector>

#include "headrace/arrow.h"
#include "headrace/status.h"

namespace headrace {

struct EncodeOptions {
  // Round float64 to the nearest float32, ties to even; a finite value that
  // would become infinite is an error all the same. Off, a column of float64 is
  // an error. All other types are kept exactly or refused.
  bool allow_narrowing = false;
};

// One message a row of `batch`, a struct array of type `schema` as a record
// batch is exported: a SequenceExample where the schema has a struct column
// ##SEQUENCE##, otherwise an Example. A null cell is a feature that the message
// does not have; an empty list is a feature with an empty list of its kind.
// Bytes are canonical, as those of SerializeMessage.
//
// Both structures stay the caller's and are only read. What they say of
// themselves is checked, but not what they cannot say: how large buffers are.
//
// kInvalidArgument, with the column and, for a value, the row as record: a type
// that no feature holds, a structure that contradicts itself, a null inside of
// a list, a number out of range, a name twice or not UTF-8. kLimit: a message
// of 2^31 bytes. kOutOfMemory. Any number of threads may call at once.
Result<std::vector<std::string>> EncodeExamples(
    const ArrowSchema& schema, const ArrowArray& batch,
    const EncodeOptions& options = {});

// The values of an array of binary, large_binary, binary_view or their texts,
// such as serialized messages for a Decoder. They point into the array, which
// stays the caller's and must outlive them. Both structures are checked as
// EncodeExamples checks them.
//
// kInvalidArgument, whose message goes on from "the array" or, where `record`
// is known, from "value N": another type (then expected and found name types),
// a structure that contradicts itself, a null, a value outside of its buffer.
// kOutOfMemory. Any number of threads may call at once.
Result<std::vector<std::string_view>> BinaryValues(const ArrowSchema& schema,
                                                   const ArrowArray& array);

}  // namespace headrace

#endif  // HEADRACE_EXAMPLE_ENCODER_H_
