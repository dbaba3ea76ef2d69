#include "headrace/index.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "src/base/out_of_memory.h"
#include "src/base/system_error.h"
#include "src/input/index/file_identity.h"
#include "src/input/index/image.h"
#include "src/input/index/image_format.h"
#include "src/input/index/index_builder.h"
#include "src/input/index/index_bytes.h"
#include "src/input/index/index_text.h"
#include "src/input/index/seek_table_of.h"
#include "src/input/source/file_stream.h"

namespace headrace {

using index::Image;
using index::IndexBytes;

class Index::Impl {
 public:
  static Result<std::shared_ptr<const Impl>> Make(IndexBytes bytes,
                                                  const std::string& name) {
    Result<Image> image = Image::Open(
        bytes.bytes(),
        bytes.is_mapped() ? index::Bytes::kMapped : index::Bytes::kOurs, name,
        bytes.owner());
    if (!image.ok()) return image.status();
    return std::make_shared<const Impl>(std::move(bytes), *std::move(image));
  }

  Impl(IndexBytes bytes, Image image)
      : bytes_(std::move(bytes)), image_(std::move(image)) {}

  const Image& image() const { return image_; }

 private:
  const IndexBytes bytes_;
  const Image image_;  // of bytes_
};

namespace {

Result<IndexBytes> ReadIndex(const std::string& path) {
  auto opened = source::FileStream::OpenRegular(path);
  if (!opened.ok()) return opened.status();
  source::FileStream* const file = opened->get();
  std::array<uint8_t, index::kMagic.size()> magic = {};
  const Result<size_t> got = file->ReadAt(0, magic);
  if (!got.ok()) return NameFile(got.status(), path);
  if (std::equal(magic.begin(), magic.end(), index::kMagic.begin())) {
    return IndexBytes::ReadOrMap(file, path);
  }
  Result<std::vector<uint8_t>> image = index::ReadText(file, path);
  if (!image.ok()) return image.status();
  return IndexBytes(*std::move(image));
}

}  // namespace

Index::Index(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

Result<Index> Index::Build(const std::string& path,
                           const IndexOptions& options) {
  return CatchOutOfMemory([&]() -> Result<Index> {
    auto image = index::BuildImage(path, options);
    if (!image.ok()) return image.status();
    auto impl = Impl::Make(IndexBytes(*std::move(image)), "");
    if (!impl.ok()) return impl.status();
    return Index(*std::move(impl));
  });
}

Result<Index> Index::Open(const std::string& index_path) {
  return CatchOutOfMemory([&]() -> Result<Index> {
    auto bytes = ReadIndex(index_path);
    if (!bytes.ok()) return bytes.status();
    auto impl = Impl::Make(*std::move(bytes), index_path);
    if (!impl.ok()) return impl.status();
    return Index(*std::move(impl));
  });
}

Status Index::CheckIsOf(const std::string& path,
                        const IndexOptions& options) const {
  return CatchOutOfMemory([&]() -> Status {
    auto source = index::OpenStored(path, options);
    if (!source.ok()) return source.status();
    const auto now = index::Identify(source->get(), path, options);
    if (!now.ok()) return now.status();
    return index::CompareIdentity(impl_->image().identity(), *now, path);
  });
}

Status Index::Save(const std::string& index_path,
                   const OutputFileOptions& options) const {
  return CatchOutOfMemory([&]() -> Status {
    Result<OutputFile> out = OutputFile::Open(index_path, options);
    if (!out) return out.status();
    const auto bytes = impl_->image().bytes();
    Status status = out->Write(bytes.data(), bytes.size());
    return status.ok() ? out->Close() : status;
  });
}

Status Index::SaveText(const std::string& index_path,
                       const OutputFileOptions& options) const {
  return CatchOutOfMemory([&]() -> Status {
    if (impl_->image().seek_table() != nullptr) {
      return Status(ErrorInfo{
          .code = ErrorCode::kInvalidArgument,
          .message = "the text form cannot hold what reading a compressed file "
                     "needs: use the form HRI, or uncompress the file",
          .file = index_path});
    }
    Result<OutputFile> out = OutputFile::Open(index_path, options);
    if (!out) return out.status();
    Status status = index::WriteText(impl_->image(), &*out);
    return status.ok() ? out->Close() : status;
  });
}

Compression Index::compression() const {
  const auto& table = impl_->image().seek_table();
  return table != nullptr ? table->compression() : Compression::kNone;
}

uint64_t Index::size() const { return impl_->image().num_records(); }
uint64_t Index::stream_bytes() const { return impl_->image().stream_bytes(); }
uint64_t Index::index_bytes() const { return impl_->image().bytes().size(); }

Status Index::Find(std::span<const uint64_t> records,
                   std::span<RecordPlace> places) const {
  return CatchOutOfMemory([&] { return impl_->image().Find(records, places); });
}

std::shared_ptr<const compression::SeekTable> IndexAccess::SeekTableOf(
    const Index& index) {
  return index.impl_->image().seek_table();
}

}  // namespace headrace
