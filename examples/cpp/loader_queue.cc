// Loads batches on one thread while others use them: loader_queue FILE...

#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "headrace/reader.h"

namespace {

// The faster side waits: the loader while the queue is full, the other threads
// while it is empty.
class BatchQueue {
 public:
  explicit BatchQueue(size_t room) : room_(room) {}

  // Returns false once the queue is closed: no thread wants more.
  bool Put(headrace::Batch batch) {
    std::unique_lock lock(mutex_);
    wake_.wait(lock, [this] { return closed_ || batches_.size() < room_; });
    if (closed_) return false;
    batches_.push_back(std::move(batch));
    wake_.notify_all();
    return true;
  }
  // Returns nothing once the queue is closed and empty.
  std::optional<headrace::Batch> Take() {
    std::unique_lock lock(mutex_);
    wake_.wait(lock, [this] { return closed_ || !batches_.empty(); });
    if (batches_.empty()) return std::nullopt;
    headrace::Batch batch = std::move(batches_.front());
    batches_.pop_front();
    wake_.notify_all();
    return batch;
  }
  void Close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    wake_.notify_all();
  }

 private:
  const size_t room_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<headrace::Batch> batches_;
  bool closed_ = false;
};

// Only this thread uses the reader: a reader allows one thread at a time.
headrace::Status Load(const std::vector<std::string>& paths,
                      BatchQueue* queue) {
  HEADRACE_ASSIGN_OR_RETURN(auto reader, headrace::Reader::Open(paths));
  while (auto batch = reader.Next()) {
    if (!queue->Put(*std::move(batch))) break;
  }
  return reader.status();
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> paths(argv + 1, argv + argc);
  BatchQueue queue(4);
  headrace::Status loaded;
  std::thread loader([&] {
    loaded = Load(paths, &queue);
    queue.Close();
  });
  std::atomic<int64_t> sum = 0;
  const auto use = [&] {
    while (const auto batch = queue.Take()) {
      for (int64_t id : batch->Find("id")->int64s()) sum += id;
    }
  };
  std::thread helper(use);
  use();
  helper.join();
  loader.join();
  // The loader's status is known only now.
  if (!loaded.ok()) {
    std::fprintf(stderr, "%s\n", loaded.ToString().c_str());
    return 1;
  }
  std::printf("sum of ids %lld\n", static_cast<long long>(sum));
}
