// Index: the position of each record of a file.
//
//   auto built = headrace::Index::Build("a.tfrecord");
//   if (!built) return built.status();
//   HEADRACE_RETURN_IF_ERROR(built->Save("a.tfrecord.hri"));
//   auto index = headrace::Index::Open("a.tfrecord.hri");
//   if (!index) return index.status();
//   headrace::RecordPlace places[2];
//   HEADRACE_RETURN_IF_ERROR(index->Find({{17, 3}}, places));
//
// docs/formats/index.md has the format. An index is untrusted input: its places
// are inside the file that it describes, but code that reads a record there
// must check the record's header.
//
// An Index never changes, is cheap to copy, and may be used by any number of
// threads.

#ifndef HEADRACE_INDEX_H_
#define HEADRACE_INDEX_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "headrace/export.h"
#include "headrace/input_file.h"
#include "headrace/limits.h"
#include "headrace/output_file.h"
#include "headrace/status.h"
#include "headrace/types.h"

namespace headrace {

class IndexAccess;

// The place of a record in the uncompressed stream.
struct RecordPlace {
  uint64_t offset = 0;  // of its header
  uint64_t length = 0;  // of its payload

  bool operator==(const RecordPlace&) const = default;
};

// Where to look up the places of records, and the places from which a
// compressed file can be inflated.
enum class IndexUse : uint8_t {
  // An index beside the file (or in a folder of indexes) if there is one, else
  // the file itself. If the index does not match the content of the file,
  // opening a Dataset fails with kBadIndex, and a Reader ignores the index.
  kAuto,
  // Only indexes: kNotFound if a file has none, kBadIndex if it does not match
  // the content of the file.
  kRequired,
  // Only the file.
  kNone,
};

struct IndexOptions {
  // Check the CRCs of payloads. Default false: only the headers of an
  // uncompressed file are read, one by one where records are large.
  bool verify = false;
  // Uncompressed bytes between checkpoints. A record of a compressed file is
  // found by inflating at most about this many bytes before it, and each
  // checkpoint adds up to 32 KiB to the index. Gzip files of one deflate block,
  // and zstd files of one frame, have no checkpoints. Default 1 MiB; at least
  // 64 KiB.
  uint64_t checkpoint_bytes = uint64_t{1} << 20;
  // The number of threads that inflate a file which records where its blocks
  // begin, as headrace writes them; see RecordWriterOptions::block_bytes.
  // Default 1; at most 1024.
  size_t threads = 1;
  // Called some 20 times per second, and at the end, with the number of bytes
  // done and in total; true ends the call with kCancelled. It must not throw.
  std::function<bool(uint64_t done, uint64_t size)> progress = {};
  // Opens the file, if set; see input_file.h. The file's modification time is
  // then not known.
  OpenInput open_input = {};
  Limits limits = {};
};

class HEADRACE_EXPORT Index {
 public:
  // There is no move: a moved-from index would have no contents.
  Index(const Index&) = default;
  Index& operator=(const Index&) = default;

  // Walks the headers of a file that can be read at any place. A compressed
  // file is inflated once, from its beginning to its end; its index also has
  // the places from which it can be inflated. Damage is an error, as for a
  // reader with OnCorrupt::kFail, and so is a file that changes while it is
  // read (kIo). kInvalidArgument for a snappy file, standard input and pipes.
  static Result<Index> Build(const std::string& path,
                             const IndexOptions& options = {});
  // Opens an index file (HRI1) of almost any size: files of up to 48 MiB are
  // read, larger ones are mapped. Also reads the text format of DALI and of
  // vahidk's tfrecord: one `offset length` per line, where the length is that
  // of the payload and its 16 bytes of framing, and the records follow one
  // another from offset 0. Only plain files have this text. kBadIndex for
  // anything else.
  static Result<Index> Open(const std::string& index_path);

  // Checks that the index describes the file as it is now: kBadIndex, with the
  // reason, if the size of the file, its modification time or the digests of
  // its first and last 64 KiB differ. For the text format only the size of the
  // file is compared, with the end of the last record. The only options used
  // are open_input and limits.
  Status CheckIsOf(const std::string& path,
                   const IndexOptions& options = {}) const;

  // Writes the index under a temporary name, then renames it. Damaged blocks of
  // an index that was opened are written unchanged.
  Status Save(const std::string& index_path,
              const OutputFileOptions& options = {}) const;
  // Writes the text format of DALI and of vahidk's tfrecord in the same way.
  // kBadIndex if a block of the index is damaged; kInvalidArgument for the
  // index of a compressed file.
  Status SaveText(const std::string& index_path,
                  const OutputFileOptions& options = {}) const;

  // The compression of the file; kNone for a plain one.
  Compression compression() const;
  uint64_t size() const;          // number of records
  uint64_t stream_bytes() const;  // where the last record ends
  uint64_t index_bytes() const;   // the size of this index as HRI1
  // Stores the places of these records in `places`, in the same order. It is
  // fastest for ascending records. kInvalidArgument for a record that does not
  // exist, or if `places` is not as long as `records`; kBadIndex, with the
  // records concerned, if the index is damaged there. After an error the values
  // in `places` are unspecified.
  Status Find(std::span<const uint64_t> records,
              std::span<RecordPlace> places) const;

 private:
  friend class IndexAccess;
  class Impl;
  explicit Index(std::shared_ptr<const Impl> impl);
  std::shared_ptr<const Impl> impl_;
};

}  // namespace headrace

#endif  // HEADRACE_INDEX_H_
