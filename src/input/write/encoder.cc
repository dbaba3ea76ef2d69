// The encoders other than BlockEncoder, and the check of a writer's options.

#include "src/input/write/encoder.h"

#include <snappy.h>
#include <zlib.h>

#include <algorithm>
#include <cassert>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/base/little_endian.h"

namespace headrace::record {
namespace {

constexpr size_t kOutputBytes = size_t{64} << 10;

// TensorFlow's reader holds 256 KiB of a stream at a time, compressed and
// uncompressed, and refuses a block that needs more. Incompressible bytes grow
// by a sixth.
constexpr size_t kSnappyBlock = size_t{128} << 10;

Status EncodeError(const OutputFile& out, ErrorCode code, std::string message) {
  return Status(ErrorInfo{
      .code = code, .message = std::move(message), .file = out.name()});
}

class Plain final : public Encoder {
 public:
  explicit Plain(OutputFile* out) : out_(out) {}
  Status Write(const uint8_t* data, size_t size) override {
    return out_->Write(data, size);
  }
  Status Finish() override { return Status(); }

 private:
  OutputFile* out_;
};

// A zlib file is one stream: readers refuse a second one after it.
class Zlib final : public Encoder {
 public:
  explicit Zlib(OutputFile* out) : out_(out), buffer_(kOutputBytes) {}
  ~Zlib() override {
    if (open_) deflateEnd(&stream_);
  }

  bool Init(int level) {
    open_ = deflateInit(&stream_, level) == Z_OK;
    return open_;
  }

  Status Write(const uint8_t* data, size_t size) override {
    while (size > 0) {
      const size_t part =
          std::min<size_t>(size, std::numeric_limits<uInt>::max());
      stream_.next_in = const_cast<Bytef*>(data);
      stream_.avail_in = static_cast<uInt>(part);
      if (Status status = Run(Z_NO_FLUSH); !status.ok()) return status;
      data += part;
      size -= part;
    }
    return Status();
  }

  Status Finish() override { return Run(Z_FINISH); }

 private:
  // Runs until all input is used, or with Z_FINISH all output is written.
  Status Run(int flush) {
    for (;;) {
      stream_.next_out = buffer_.data();
      stream_.avail_out = static_cast<uInt>(buffer_.size());
      const int result = deflate(&stream_, flush);
      assert(result != Z_STREAM_ERROR);  // would mean that no stream was begun
      const size_t made = buffer_.size() - stream_.avail_out;
      if (Status s = out_->Write(buffer_.data(), made); !s.ok()) return s;
      if (flush == Z_FINISH ? result == Z_STREAM_END : stream_.avail_out != 0) {
        return Status();
      }
    }
  }

  OutputFile* out_;
  std::vector<uint8_t> buffer_;
  z_stream stream_ = {};
  bool open_ = false;
};

// TensorFlow frames each raw snappy block with its size, a u32 big-endian.
class Snappy final : public Encoder {
 public:
  explicit Snappy(OutputFile* out) : out_(out) {
    block_.reserve(kSnappyBlock);
    compressed_.resize(snappy::MaxCompressedLength(kSnappyBlock));
  }

  Status Write(const uint8_t* data, size_t size) override {
    while (size > 0) {
      const size_t part = std::min(size, kSnappyBlock - block_.size());
      block_.insert(block_.end(), data, data + part);
      data += part;
      size -= part;
      if (block_.size() < kSnappyBlock) break;
      if (Status status = PutBlock(); !status.ok()) return status;
    }
    return Status();
  }

  Status Finish() override { return block_.empty() ? Status() : PutBlock(); }

 private:
  Status PutBlock() {
    size_t size = 0;
    snappy::RawCompress(block_.data(), block_.size(), compressed_.data(),
                        &size);
    block_.clear();
    uint8_t header[4];
    StoreBig32(header, static_cast<uint32_t>(size));
    if (Status s = out_->Write(header, sizeof(header)); !s.ok()) return s;
    return out_->Write(compressed_.data(), size);
  }

  OutputFile* out_;
  std::vector<char> block_;
  std::vector<char> compressed_;
};

// The levels of a compression. LevelsOf returns nothing for a compression
// without levels.
struct Levels {
  int least = 0;
  int most = 0;
  int usual = 0;
};
std::optional<Levels> LevelsOf(Compression compression) {
  switch (compression) {
    case Compression::kGzip:
    case Compression::kZlib:
      return Levels{.least = 1, .most = 9, .usual = 6};
    case Compression::kZstd:
      return Levels{.least = 1, .most = 22, .usual = 3};
    default:
      return {};
  }
}

constexpr uint64_t kMinBlockBytes = uint64_t{4} << 10;
constexpr uint64_t kMaxBlockBytes = uint64_t{1} << 30;

// Returns the level, or an error if the options are wrong.
Result<int> CheckedLevel(const RecordWriterOptions& options,
                         const OutputFile& out) {
  const auto wrong = [&out](std::string message) {
    return EncodeError(out, ErrorCode::kInvalidArgument, std::move(message));
  };
  if (options.block_bytes < kMinBlockBytes ||
      options.block_bytes > kMaxBlockBytes) {
    return wrong("a block has 4 KiB to 1 GiB, not " +
                 std::to_string(options.block_bytes) + " bytes");
  }
  const std::string name(CompressionName(options.compression));
  const auto levels = LevelsOf(options.compression);
  if (!options.level) return levels ? levels->usual : 0;
  if (!levels) {
    return wrong("only gzip, zlib and zstd have levels; the compression is " +
                 name);
  }
  if (*options.level < levels->least || *options.level > levels->most) {
    return wrong(name + " has levels " + std::to_string(levels->least) +
                 " to " + std::to_string(levels->most) + ", not " +
                 std::to_string(*options.level));
  }
  return *options.level;
}

}  // namespace

Result<std::unique_ptr<Encoder>> MakeEncoder(const RecordWriterOptions& options,
                                             OutputFile* out) {
  const Result<int> level = CheckedLevel(options, *out);
  if (!level.ok()) return level.status();
  switch (options.compression) {
    case Compression::kAuto:
    case Compression::kNone:
      return std::unique_ptr<Encoder>(std::make_unique<Plain>(out));
    case Compression::kZlib: {
      auto zlib = std::make_unique<Zlib>(out);
      if (zlib->Init(*level)) return std::unique_ptr<Encoder>(std::move(zlib));
      return EncodeError(*out, ErrorCode::kOutOfMemory, "out of memory");
    }
    case Compression::kSnappy:
      return std::unique_ptr<Encoder>(std::make_unique<Snappy>(out));
    case Compression::kGzip:
    case Compression::kZstd:
      return MakeBlockEncoder(options, *level, out);
    default:
      return EncodeError(*out, ErrorCode::kInvalidArgument,
                         "cannot write the compression " +
                             std::string(CompressionName(options.compression)));
  }
}

}  // namespace headrace::record
