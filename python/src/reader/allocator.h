// Memory of batches that a Python object allocates.

#ifndef HEADRACE_PYTHON_SRC_READER_ALLOCATOR_H_
#define HEADRACE_PYTHON_SRC_READER_ALLOCATOR_H_

#include <nanobind/nanobind.h>

#include <memory>

#include "headrace/batch.h"
#include "headrace/batch_allocator.h"
#include "python/src/reader/input.h"

namespace headrace::python {

namespace nb = nanobind;

// Returns an allocator that calls allocate(size) of options["allocator"]; null
// if there is none. The result is any object with the buffer protocol: at least
// `size` writable bytes that begin at a multiple of 256. The object is held
// until the slab is freed. Exceptions are kept in `pending`.
//
// Any thread may use the allocator, without the GIL. It serves the process that
// made it: in a forked child Allocate fails, and Free frees nothing. After the
// end of the interpreter Free frees nothing either.
std::shared_ptr<BatchAllocator> AllocatorByPython(
    const nb::dict& options, std::shared_ptr<PendingException> pending);

// Returns a list of (object, address, size): what allocate returned for each
// slab of the batch, and where the slab is. An object is None if the allocator
// was not made by AllocatorByPython.
nb::list SlabObjects(const Batch& batch);

}  // namespace headrace::python

#endif  // HEADRACE_PYTHON_SRC_READER_ALLOCATOR_H_
