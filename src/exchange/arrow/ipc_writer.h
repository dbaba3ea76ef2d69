// IpcWriter writes columns and tensors that need not be those of a Batch.

#ifndef HEADRACE_SRC_EXCHANGE_ARROW_IPC_WRITER_H_
#define HEADRACE_SRC_EXCHANGE_ARROW_IPC_WRITER_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "flatbuffers/flatbuffers.h"
#include "headrace/arrow.h"
#include "headrace/output_file.h"
#include "headrace/plan.h"
#include "headrace/status.h"
#include "src/exchange/arrow/column_batch.h"
#include "src/exchange/arrow/ipc_metadata.h"
#include "src/exchange/arrow/layout.h"
#include "src/exchange/arrow/type.h"

namespace headrace::arrow {

// Errors are final.
class IpcWriter {
 public:
  static Result<IpcWriter> Open(const std::string& path, ArrowFormat format,
                                const PlanFields& fields,
                                const ArrowOptions& options);
  // Does not open the output if no schema can be made of the fields.
  using OpenOutput = std::function<Result<OutputFile>()>;
  static Result<IpcWriter> Open(const OpenOutput& open_output,
                                ArrowFormat format, const PlanFields& fields,
                                const ArrowOptions& options);

  Status Write(const ColumnBatch& batch);
  Status Close();
  uint64_t num_bytes() const { return file_.size(); }
  Status* final_status() { return &status_; }

 private:
  IpcWriter(OutputFile file, ArrowFormat format, const PlanFields& fields,
            const ArrowOptions& options, Field schema);

  Status WriteStart();
  Status WriteEnd();
  Status CheckFields(const ColumnBatch& batch) const;
  Status WriteBatch(const ColumnBatch& batch);
  Status WriteMetadata(const flatbuffers::DetachedBuffer& metadata);
  Status WriteBody();
  Status WriteBuffer(const Buffer& buffer);
  Status PadTo(uint64_t alignment);

  OutputFile file_;
  ArrowFormat format_;
  BytesAs bytes_as_;
  std::vector<ColumnField> columns_;
  std::vector<TensorField> tensors_;
  bool has_sequence_struct_;
  bool is_raw_;
  Field schema_;
  std::vector<FileBlock> blocks_;
  BodyLayout layout_;  // reused for its memory
  Status status_;      // the error that ended the writing
  bool closed_ = false;
};

}  // namespace headrace::arrow

#endif  // HEADRACE_SRC_EXCHANGE_ARROW_IPC_WRITER_H_
