// Prints how many rows TFRecord files have, and the digest that
// examples/c/digest.c describes. rustc is enough to compile it:
//
//   rustc -O digest.rs -L native=/usr/local/lib && ./digest train-*.tfrecord

use std::ffi::{c_void, CStr, CString};
use std::os::raw::c_char;
use std::ptr::{null, null_mut};
use std::slice::from_raw_parts;

#[repr(C)]
struct ArrowSchema {
    format: *const c_char, name: *const c_char, metadata: *const c_char,
    flags: i64, n_children: i64,
    children: *const *mut ArrowSchema, dictionary: *mut ArrowSchema,
    release: Option<unsafe extern "C" fn(*mut ArrowSchema)>, private_data: *mut c_void,
}

#[repr(C)]
struct ArrowArray {
    length: i64, null_count: i64, offset: i64, n_buffers: i64, n_children: i64,
    buffers: *const *const c_void,
    children: *const *mut ArrowArray, dictionary: *mut ArrowArray,
    release: Option<unsafe extern "C" fn(*mut ArrowArray)>, private_data: *mut c_void,
}

#[repr(C)]
struct Error {
    code: i32, system_error: i32, record: u64, offset: u64,
    message: *const c_char, // more fields follow; only headrace creates this
}

#[link(name = "headrace")]
extern "C" {
    fn headrace_open(paths: *const *const c_char, n: usize, options_json: *const c_char,
                     reader: *mut *mut c_void, error: *mut *mut Error) -> i32;
    fn headrace_next(reader: *mut c_void, array: *mut ArrowArray, schema: *mut ArrowSchema,
                     error: *mut *mut Error) -> i32;
    fn headrace_close(reader: *mut c_void);
    fn headrace_error_free(error: *mut Error);
}

const BASIS: u64 = 0xcbf29ce484222325;

fn fnv1a(hash: &mut u64, bytes: &[u8]) {
    for byte in bytes {
        *hash = (*hash ^ u64::from(*byte)).wrapping_mul(0x100000001b3);
    }
}

// Empty buffers may be null.
unsafe fn bytes_of<'a>(buffer: *const c_void, begin: usize, end: usize) -> &'a [u8] {
    if begin == end { &[] } else { from_raw_parts((buffer as *const u8).add(begin), end - begin) }
}

// Adds elements [begin, end); arrays of headrace have offset 0.
unsafe fn add(schema: &ArrowSchema, array: &ArrowArray, begin: usize, end: usize,
              hashes: &mut Vec<u64>, next: &mut usize) {
    let at = *next;
    *next += 1;
    if hashes.len() == at { hashes.push(BASIS); }
    let buffer = |i: usize| *array.buffers.add(i);
    let offsets = || from_raw_parts(buffer(1) as *const i32, end + 1);
    match CStr::from_ptr(schema.format).to_bytes() {
        b"l" => fnv1a(&mut hashes[at], bytes_of(buffer(1), begin * 8, end * 8)),
        b"f" => fnv1a(&mut hashes[at], bytes_of(buffer(1), begin * 4, end * 4)),
        b"z" => for pair in offsets()[begin..].windows(2) {
            fnv1a(&mut hashes[at], &((pair[1] - pair[0]) as u64).to_le_bytes());
            fnv1a(&mut hashes[at], bytes_of(buffer(2), pair[0] as usize, pair[1] as usize));
        },
        b"+l" => {
            for i in begin..end {
                let validity = buffer(0) as *const u8;
                let null = !validity.is_null() && *validity.add(i / 8) >> (i % 8) & 1 == 0;
                let size = (offsets()[i + 1] - offsets()[i]) as u64;
                fnv1a(&mut hashes[at], &(if null { u64::MAX } else { size }).to_le_bytes());
            }
            add(&**schema.children, &**array.children, offsets()[begin] as usize,
                offsets()[end] as usize, hashes, next);
        }
        b"+s" => for i in 0..schema.n_children as usize {
            add(&**schema.children.add(i), &**array.children.add(i), begin, end, hashes, next);
        },
        _ => {} // the null type has no values
    }
}

unsafe fn fail(error: *mut Error) -> ! {
    eprintln!("digest: {}", CStr::from_ptr((*error).message).to_string_lossy());
    headrace_error_free(error);
    std::process::exit(1)
}

fn main() {
    let paths: Vec<CString> = std::env::args().skip(1).map(|p| CString::new(p).unwrap()).collect();
    let pointers: Vec<_> = paths.iter().map(|path| path.as_ptr()).collect();
    let (mut reader, mut error) = (null_mut(), null_mut());
    let (mut rows, mut hashes) = (0, Vec::new());
    unsafe {
        if headrace_open(pointers.as_ptr(), pointers.len(), null(), &mut reader, &mut error) != 0 {
            fail(error);
        }
        loop {
            let (mut array, mut schema) = (std::mem::zeroed(), std::mem::zeroed());
            if headrace_next(reader, &mut array, &mut schema, &mut error) != 0 { fail(error); }
            let release = match array.release { None => break, Some(release) => release };
            add(&schema, &array, 0, array.length as usize, &mut hashes, &mut 0);
            rows += array.length;
            release(&mut array);
            schema.release.unwrap()(&mut schema);
        }
        headrace_close(reader);
    }
    let mut digest = BASIS;
    for hash in hashes { fnv1a(&mut digest, &hash.to_le_bytes()); }
    println!("{} rows, digest {:016x}", rows, digest);
}
