// headrace for C, and for every language that can call C: TFRecord files of
// tf.train messages as Arrow arrays and streams, and back.
//
//   const char* paths[] = {"train-*.tfrecord.gz"};
//   headrace_reader* reader = NULL;
//   headrace_error* error = NULL;
//   struct ArrowArrayStream stream;
//   if (headrace_open(paths, 1, "{\"threads\": 4}", &reader, &error) == 0 &&
//       headrace_stream(reader, &stream, &error) == 0) {
//     stream.release(&stream);  // after its arrays were used
//   }
//   if (error) fprintf(stderr, "%s\n", error->message);
//   headrace_error_free(error);
//   headrace_close(reader);
//
// docs/abi.md says what stays the same from one version to the next.
//
// Options are one JSON object, or NULL for none; docs/abi.md lists them.
// Unknown names are refused.
//
// Errors. A function that can fail returns HEADRACE_OK or another code of
// headrace_code. `error` may be NULL; otherwise *error becomes NULL, or an
// error that the caller frees with headrace_error_free. After a failure, an
// output handle or text is NULL, and an output structure is released. A
// function returns HEADRACE_INVALID_ARGUMENT if an argument that is not
// documented as optional is NULL. These functions throw nothing and print
// nothing.
//
// Memory. Arrays, schemas and streams belong to the caller, who calls their
// `release`. They own what they point to, so they may outlive the handle that
// made them. The functions that free a handle, a text or an error accept NULL.
//
// Threads. Any number of threads may use a handle at the same time; they wait
// for one another where they must. A stream, like an error, belongs to one
// thread at a time. No thread may use a handle while it is being freed, or
// afterwards. A forked process may not use handles of its parent.

#ifndef HEADRACE_C_H_
#define HEADRACE_C_H_

#include <stddef.h>
#include <stdint.h>

#include "headrace/arrow_c.h"
#include "headrace/export.h"

#ifdef __cplusplus
extern "C" {
#endif

// The number of this interface. It grows when a function or a field is added.
// When anything else changes, it starts again with another soname.
#define HEADRACE_ABI_VERSION 2

// The value of an error's field that is not known or does not apply.
#define HEADRACE_UNKNOWN UINT64_MAX

// The classes of errors, whose numbers never change; docs/formats/tfrecord.md
// and docs/semantics.md describe them. Later versions may have more.
enum headrace_code {
  HEADRACE_OK = 0,
  HEADRACE_INVALID_ARGUMENT = 1,
  HEADRACE_BAD_SPEC = 2,
  HEADRACE_NOT_FOUND = 3,
  HEADRACE_IO = 4,
  HEADRACE_TRUNCATED_HEADER = 5,
  HEADRACE_TRUNCATED_PAYLOAD = 6,
  HEADRACE_TRUNCATED_FOOTER = 7,
  HEADRACE_HEADER_CRC = 8,
  HEADRACE_PAYLOAD_CRC = 9,
  HEADRACE_TOO_LARGE = 10,
  HEADRACE_DECOMPRESS = 11,
  HEADRACE_NOT_TFRECORD = 12,
  HEADRACE_SPLIT_SEAM = 13,
  HEADRACE_WRONG_RECORD_COUNT = 14,
  HEADRACE_BAD_INDEX = 15,
  HEADRACE_MALFORMED = 16,
  HEADRACE_WRONG_KIND = 17,
  HEADRACE_WRONG_COUNT = 18,
  HEADRACE_MISSING_FEATURE = 19,
  HEADRACE_BAD_SPARSE_INDEX = 20,
  HEADRACE_BAD_PARTITION = 21,
  HEADRACE_LIMIT = 22,
  HEADRACE_TOO_MANY_BAD = 23,
  HEADRACE_OUT_OF_MEMORY = 24,
  HEADRACE_CANCELLED = 25,
  // An exception that should never reach a caller: a fault of the library.
  HEADRACE_INTERNAL = 255
};

// An error says what went wrong. Texts are never NULL: where nothing is known,
// they are "". They live as long as the error. Only the library makes errors,
// so later versions can add fields at the end.
typedef struct headrace_error {
  int32_t code;          // one of headrace_code
  int32_t system_error;  // errno of a call that failed; 0 for none
  // Number within the file, from 0. HEADRACE_UNKNOWN also if only a part of a
  // file was read, and no index says how many records precede that part.
  // Records that "on_corrupt" left out are not counted.
  uint64_t record;
  uint64_t offset;      // byte in the uncompressed stream
  const char* message;  // for people: place, class, what is wrong
  const char* file;
  const char* feature;   // key in the record, or name of the tensor
  const char* expected;  // kind or count that the plan asks for
  const char* found;     // kind or count that the record holds
} headrace_error;

typedef struct headrace_plan headrace_plan;        // what to decode
typedef struct headrace_reader headrace_reader;    // rows of files, in order
typedef struct headrace_dataset headrace_dataset;  // rows of files, by number

// Gives the tensors of batches their memory; include/headrace/batch_allocator.h
// says when it is asked for, and for what. Any thread may call the functions,
// several at a time. They must not throw, and must not use the reader or
// dataset that calls them. The library copies the structure. Later versions may
// have more fields.
typedef struct headrace_allocator {
  size_t size;    // sizeof(headrace_allocator)
  void* context;  // passed to the functions
  // Returns `size` bytes that begin at a multiple of `alignment`, or NULL: the
  // batch fails with HEADRACE_OUT_OF_MEMORY.
  void* (*allocate)(void* context, size_t size, size_t alignment);
  // Takes back what `allocate` returned for this size, when nothing refers to
  // the batch any more.
  void (*free)(void* context, void* data, size_t size);
  // Called last, when no memory of the allocator is left. May be NULL.
  void (*release)(void* context);
} headrace_allocator;

// Return the version of the library, such as "0.1.0", and the
// HEADRACE_ABI_VERSION of its c.h. The text is never freed.
HEADRACE_EXPORT const char* headrace_version(void);
HEADRACE_EXPORT int32_t headrace_abi_version(void);
// Returns the name of a code, such as "payload_crc"; "unknown" for any other
// number.
HEADRACE_EXPORT const char* headrace_code_name(int32_t code);

HEADRACE_EXPORT void headrace_error_free(headrace_error* error);
HEADRACE_EXPORT void headrace_text_free(char* text);

// Compiles a plan from the option "spec" or "schema".
HEADRACE_EXPORT int32_t headrace_plan_compile(const char* options_json,
                                              headrace_plan** plan,
                                              headrace_error** error);
// Return the plan of a reader and of a dataset, whether it was given or found
// from the data.
HEADRACE_EXPORT int32_t headrace_reader_plan(const headrace_reader* reader,
                                             headrace_plan** plan,
                                             headrace_error** error);
HEADRACE_EXPORT int32_t headrace_dataset_plan(const headrace_dataset* dataset,
                                              headrace_plan** plan,
                                              headrace_error** error);
// Returns the type of the arrays that the plan decodes to. The only option is
// "bytes_as".
HEADRACE_EXPORT int32_t headrace_plan_schema(const headrace_plan* plan,
                                             const char* options_json,
                                             struct ArrowSchema* schema,
                                             headrace_error** error);
// Describes what the plan decodes, as text for people. Free the text with
// headrace_text_free.
HEADRACE_EXPORT int32_t headrace_plan_text(const headrace_plan* plan,
                                           char** text, headrace_error** error);
HEADRACE_EXPORT void headrace_plan_free(headrace_plan* plan);

// Opens n files, globs, shard sets, folders, or "-". Without "spec" and
// "schema" the columns are found from the first records.
HEADRACE_EXPORT int32_t headrace_open(const char* const* paths, size_t n,
                                      const char* options_json,
                                      headrace_reader** reader,
                                      headrace_error** error);
// Makes the batches of the reader in memory of the allocator. Call it before
// the first rows are read, with a reader that has a spec: otherwise it fails
// with HEADRACE_INVALID_ARGUMENT. After a failure, `release` is not called.
// (ABI 2)
HEADRACE_EXPORT int32_t headrace_reader_set_allocator(
    headrace_reader* reader, const headrace_allocator* allocator,
    headrace_error** error);
// Returns the next rows as a struct array, and its type unless `schema` is
// NULL. At the end the array is released (release is NULL), and so is the
// schema. An error is final: every later call returns it, and so does a stream
// of the reader. The rows before the error are returned first.
HEADRACE_EXPORT int32_t headrace_next(headrace_reader* reader,
                                      struct ArrowArray* array,
                                      struct ArrowSchema* schema,
                                      headrace_error** error);
// Returns the remaining rows as a stream. The caller keeps the handle: to read
// the report, to cancel, and to get the fields of an error that ended the
// stream (headrace_next returns that error). It may be closed before the stream
// ends. A row is returned either by the stream or by headrace_next, not by
// both.
HEADRACE_EXPORT int32_t headrace_stream(headrace_reader* reader,
                                        struct ArrowArrayStream* stream,
                                        headrace_error** error);
// Returns what was skipped or left out so far, as JSON; docs/abi.md lists the
// members. Free the text with headrace_text_free.
HEADRACE_EXPORT int32_t headrace_report(const headrace_reader* reader,
                                        char** json, headrace_error** error);
// Makes the reader and its streams end with HEADRACE_CANCELLED. Calls that are
// reading at that moment return soon. This function never waits.
HEADRACE_EXPORT void headrace_cancel(headrace_reader* reader);
HEADRACE_EXPORT void headrace_close(headrace_reader* reader);

// Opens files to read rows by number. Rows are numbered over all files, from 0.
HEADRACE_EXPORT int32_t headrace_dataset_open(const char* const* paths,
                                              size_t n,
                                              const char* options_json,
                                              headrace_dataset** dataset,
                                              headrace_error** error);
// Returns the number of rows; 0 for NULL.
HEADRACE_EXPORT uint64_t headrace_dataset_size(const headrace_dataset* dataset);
// Makes the rows taken from now on in memory of the allocator, as
// headrace_reader_set_allocator does. No other thread may use the dataset
// meanwhile. (ABI 2)
HEADRACE_EXPORT int32_t headrace_dataset_set_allocator(
    headrace_dataset* dataset, const headrace_allocator* allocator,
    headrace_error** error);
// Returns n rows in the order asked for; rows may repeat, and `schema` may be
// NULL. Other threads may call this at the same time. An error is not final.
HEADRACE_EXPORT int32_t headrace_dataset_take(headrace_dataset* dataset,
                                              const uint64_t* rows, size_t n,
                                              struct ArrowArray* array,
                                              struct ArrowSchema* schema,
                                              headrace_error** error);
// Returns each row once: in the order of the row numbers, or in the order that
// the option "shuffle" defines.
HEADRACE_EXPORT int32_t headrace_dataset_stream(headrace_dataset* dataset,
                                                const char* options_json,
                                                struct ArrowArrayStream* stream,
                                                headrace_error** error);
// Returns what was left out of the rows taken so far, and the notices for the
// user, as JSON; docs/abi.md lists the members. Free the text with
// headrace_text_free.
HEADRACE_EXPORT int32_t headrace_dataset_report(const headrace_dataset* dataset,
                                                char** json,
                                                headrace_error** error);
HEADRACE_EXPORT void headrace_dataset_close(headrace_dataset* dataset);

// Decodes n serialized messages. The array does not refer to them; `schema` may
// be NULL. In the error of a bad message, `record` is the index of the message.
HEADRACE_EXPORT int32_t headrace_decode(
    const headrace_plan* plan, const void* const* records, const size_t* sizes,
    size_t n, const char* options_json, struct ArrowArray* array,
    struct ArrowSchema* schema, headrace_error** error);

// Writes the rows of a stream as a TFRecord file of Examples, or of
// SequenceExamples if there is a column ##SEQUENCE##. The file gets its name
// only when it is complete. The stream is always released, even after a
// failure.
HEADRACE_EXPORT int32_t headrace_write(struct ArrowArrayStream* stream,
                                       const char* path,
                                       const char* options_json,
                                       headrace_error** error);

#ifdef __cplusplus
}
#endif

#endif  // HEADRACE_C_H_
