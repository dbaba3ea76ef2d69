// Prints how many rows TFRecord files have, and the digest that
// examples/c/digest.c describes: CGO_LDFLAGS=-lheadrace go run digest.go FILE...
package main

/*
#include <stdlib.h>
#include "headrace/c.h"

// Go cannot call a function by its pointer.
static void Release(struct ArrowArray* array, struct ArrowSchema* schema) {
	array->release(array);
	schema->release(schema);
}
*/
import "C"

import (
	"encoding/binary"
	"fmt"
	"os"
	"unsafe"
)

const basis = 0xcbf29ce484222325

func fnv1a(hash *uint64, bytes []byte) {
	for _, b := range bytes {
		*hash = (*hash ^ uint64(b)) * 0x100000001b3
	}
}

func addNumber(hash *uint64, number uint64) {
	fnv1a(hash, binary.LittleEndian.AppendUint64(nil, number))
}

// items returns a slice of n items that C owns.
func items[T any](pointer unsafe.Pointer, n int) []T {
	return unsafe.Slice((*T)(pointer), n)
}

// hashes holds a hash for each array in the tree of columns, parents first.
type hashes struct {
	of   []uint64
	next int
}

// add adds elements [begin, end); arrays of headrace have offset 0.
func (h *hashes) add(schema *C.struct_ArrowSchema, array *C.struct_ArrowArray, begin, end int) {
	if h.next++; len(h.of) < h.next {
		h.of = append(h.of, basis)
	}
	hash := &h.of[h.next-1]
	buffers := items[unsafe.Pointer](unsafe.Pointer(array.buffers), int(array.n_buffers))
	schemas := items[*C.struct_ArrowSchema](unsafe.Pointer(schema.children), int(schema.n_children))
	arrays := items[*C.struct_ArrowArray](unsafe.Pointer(array.children), int(array.n_children))
	switch C.GoString(schema.format) {
	case "l", "f":
		size := map[C.char]int{'l': 8, 'f': 4}[*schema.format]
		fnv1a(hash, items[byte](buffers[1], end*size)[begin*size:])
	case "z":
		offsets := items[int32](buffers[1], end+1)
		for i := begin; i < end; i++ {
			value := items[byte](buffers[2], int(offsets[end]))[offsets[i]:offsets[i+1]]
			addNumber(hash, uint64(len(value)))
			fnv1a(hash, value)
		}
	case "+l":
		offsets := items[int32](buffers[1], end+1)
		for i := begin; i < end; i++ {
			size := uint64(offsets[i+1] - offsets[i])
			if buffers[0] != nil && items[byte](buffers[0], end/8+1)[i/8]>>(i%8)&1 == 0 {
				size = ^uint64(0) // null
			}
			addNumber(hash, size)
		}
		h.add(schemas[0], arrays[0], int(offsets[begin]), int(offsets[end]))
	case "+s":
		for i := range arrays {
			h.add(schemas[i], arrays[i], begin, end)
		}
	} // the null type has no values
}

func check(err *C.headrace_error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "digest:", C.GoString(err.message))
		os.Exit(1)
	}
}

func main() {
	paths := make([]*C.char, len(os.Args)) // the last one is nil
	for i, path := range os.Args[1:] {
		paths[i] = C.CString(path)
	}
	var reader *C.headrace_reader
	var err *C.headrace_error
	C.headrace_open(&paths[0], C.size_t(len(os.Args)-1), nil, &reader, &err)
	check(err)
	defer C.headrace_close(reader)
	rows, digest, all := C.int64_t(0), uint64(basis), hashes{}
	for {
		var array C.struct_ArrowArray
		var schema C.struct_ArrowSchema
		C.headrace_next(reader, &array, &schema, &err)
		check(err)
		if array.release == nil { // the end
			break
		}
		all.next = 0
		all.add(&schema, &array, 0, int(array.length))
		rows += array.length
		C.Release(&array, &schema)
	}
	for _, hash := range all.of {
		addNumber(&digest, hash)
	}
	fmt.Printf("%d rows, digest %016x\n", rows, digest)
}
