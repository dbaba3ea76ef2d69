#include "src/base/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "src/base/out_of_memory.h"

namespace headrace {

Status ForEachInParallel(
    size_t count, size_t threads,
    const std::function<Status(size_t i, size_t thread)>& work) {
  std::atomic<size_t> next = 0;
  std::mutex mutex;
  size_t failed = count;  // guarded by the mutex, like the failure
  Status failure;
  const auto work_as = [&](size_t thread) {
    for (size_t i = next++; i < count; i = next++) {
      Status status = CatchOutOfMemory([&] { return work(i, thread); });
      if (status.ok()) continue;
      const std::lock_guard lock(mutex);
      next = count;
      if (i >= failed) return;
      failed = i;
      failure = std::move(status);
    }
  };
  std::vector<std::thread> others;
  threads = std::min(threads, count);
  if (threads > 1) others.reserve(threads - 1);
  while (others.size() + 1 < threads) {
    try {
      others.emplace_back(work_as, others.size() + 1);
    } catch (const std::exception&) {
      break;  // There is no memory, or the system allows no more threads.
    }
  }
  work_as(0);
  for (std::thread& other : others) other.join();
  return failure;
}

}  // namespace headrace
