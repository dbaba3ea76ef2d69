// Prints how many rows TFRecord files have, and the digest that
// examples/c/digest.c describes. digest_jni.c calls headrace; this class walks
// the structures of the Arrow C data interface, whose members have 8 bytes each.
//
//   javac Digest.java
//   java -Djava.library.path=. Digest train-*.tfrecord
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

public class Digest {
  static { System.loadLibrary("digest_jni"); }

  // These throw a RuntimeException with the message of headrace.
  static native long open(String[] paths);
  // Returns the addresses of an ArrowArray and an ArrowSchema, which `release`
  // frees; null at the end.
  static native long[] next(long reader);
  static native void release(long array, long schema);
  static native void close(long reader);
  // Returns bytes that C owns.
  static native ByteBuffer memory(long address, long size);

  private static final long BASIS = 0xcbf29ce484222325L;

  // One hash of each array in the tree of columns, parents first.
  private final List<long[]> hashes = new ArrayList<>();
  private int next = 0;

  static ByteBuffer bytes(long address, long size) {
    if (size == 0) return ByteBuffer.allocate(0).order(ByteOrder.LITTLE_ENDIAN);
    return memory(address, size).order(ByteOrder.LITTLE_ENDIAN);
  }

  static void fnv1a(long[] hash, ByteBuffer bytes, int begin, int end) {
    long h = hash[0];
    for (int i = begin; i < end; ++i) h = (h ^ (bytes.get(i) & 0xff)) * 0x100000001b3L;
    hash[0] = h;
  }

  static void addNumber(long[] hash, long number) {
    for (int i = 0; i < 64; i += 8) {
      hash[0] = (hash[0] ^ (number >>> i & 0xff)) * 0x100000001b3L;
    }
  }

  // Returns pointer number `i` of the array of pointers at an address.
  static long pointer(long address, int i) {
    return bytes(address + 8L * i, 8).getLong(0);
  }

  static String format(ByteBuffer schema) {
    ByteBuffer text = bytes(schema.getLong(0), 2); // "l" ends with a NUL
    return text.get(1) == 0 ? "" + (char) text.get(0)
                            : "" + (char) text.get(0) + (char) text.get(1);
  }

  // Adds elements [begin, end); arrays of headrace have offset 0.
  void add(long schemaAddress, long arrayAddress, int begin, int end) {
    ByteBuffer schema = bytes(schemaAddress, 72);
    ByteBuffer array = bytes(arrayAddress, 80);
    long buffers = array.getLong(40);
    if (hashes.size() == next) hashes.add(new long[] {BASIS});
    long[] hash = hashes.get(next++);
    switch (format(schema)) {
      case "l" -> fnv1a(hash, bytes(pointer(buffers, 1), 8L * end), 8 * begin, 8 * end);
      case "f" -> fnv1a(hash, bytes(pointer(buffers, 1), 4L * end), 4 * begin, 4 * end);
      case "z" -> {
        ByteBuffer offsets = bytes(pointer(buffers, 1), 4L * (end + 1));
        ByteBuffer values = bytes(pointer(buffers, 2), offsets.getInt(4 * end));
        for (int i = begin; i < end; ++i) {
          int from = offsets.getInt(4 * i), to = offsets.getInt(4 * i + 4);
          addNumber(hash, to - from);
          fnv1a(hash, values, from, to);
        }
      }
      case "+l" -> {
        ByteBuffer offsets = bytes(pointer(buffers, 1), 4L * (end + 1));
        long validity = pointer(buffers, 0);
        for (int i = begin; i < end; ++i) {
          boolean isNull = validity != 0 && (bytes(validity + i / 8, 1).get(0) >> i % 8 & 1) == 0;
          addNumber(hash, isNull ? -1 : offsets.getInt(4 * i + 4) - offsets.getInt(4 * i));
        }
        add(pointer(schema.getLong(40), 0), pointer(array.getLong(48), 0),
            offsets.getInt(4 * begin), offsets.getInt(4 * end));
      }
      case "+s" -> {
        for (int i = 0; i < schema.getLong(32); ++i) {
          add(pointer(schema.getLong(40), i), pointer(array.getLong(48), i), begin, end);
        }
      }
      default -> {} // the null type has no values
    }
  }

  public static void main(String[] paths) {
    Digest all = new Digest();
    long rows = 0;
    try {
      long reader = open(paths);
      for (long[] batch; (batch = next(reader)) != null; release(batch[0], batch[1])) {
        long length = bytes(batch[0], 8).getLong(0);
        all.next = 0;
        all.add(batch[1], batch[0], 0, (int) length);
        rows += length;
      }
      close(reader);
    } catch (RuntimeException error) {
      System.err.println("digest: " + error.getMessage());
      System.exit(1);
    }
    long[] digest = {BASIS};
    for (long[] hash : all.hashes) addNumber(digest, hash[0]);
    System.out.printf("%d rows, digest %016x%n", rows, digest[0]);
  }
}
