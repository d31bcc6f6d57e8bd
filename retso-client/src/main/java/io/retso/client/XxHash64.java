package io.retso.client;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * XXH64, written from its public specification (doc/xxhash_spec.md of the xxHash project, section
 * "XXH64 algorithm"). Not a cryptographic hash. Stateless.
 */
final class XxHash64 {
  private static final long PRIME_1 = 0x9E3779B185EBCA87L;
  private static final long PRIME_2 = 0xC2B2AE3D27D4EB4FL;
  private static final long PRIME_3 = 0x165667B19E3779F9L;
  private static final long PRIME_4 = 0x85EBCA77C2B2AE63L;
  private static final long PRIME_5 = 0x27D4EB2F165667C5L;
  private static final int STRIPE_BYTES = 32;

  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

  private XxHash64() {}

  /** The hash of {@code length} bytes of {@code bytes}, from {@code offset} on. */
  static long hash(byte[] bytes, int offset, int length, long seed) {
    int index = offset;
    int end = offset + length;
    long hash;
    if (length >= STRIPE_BYTES) {
      int stripesEnd = offset + (length & -STRIPE_BYTES);
      hash = stripes(bytes, index, stripesEnd, seed);
      index = stripesEnd;
    } else {
      hash = seed + PRIME_5;
    }
    return avalanche(remainder(bytes, index, end, hash + length));
  }

  private static long stripes(byte[] bytes, int from, int end, long seed) {
    long lane1 = seed + PRIME_1 + PRIME_2;
    long lane2 = seed + PRIME_2;
    long lane3 = seed;
    long lane4 = seed - PRIME_1;
    for (int index = from; index < end; index += STRIPE_BYTES) {
      lane1 = round(lane1, (long) LONG.get(bytes, index));
      lane2 = round(lane2, (long) LONG.get(bytes, index + 8));
      lane3 = round(lane3, (long) LONG.get(bytes, index + 16));
      lane4 = round(lane4, (long) LONG.get(bytes, index + 24));
    }
    long hash =
        Long.rotateLeft(lane1, 1)
            + Long.rotateLeft(lane2, 7)
            + Long.rotateLeft(lane3, 12)
            + Long.rotateLeft(lane4, 18);
    hash = merge(hash, lane1);
    hash = merge(hash, lane2);
    hash = merge(hash, lane3);
    return merge(hash, lane4);
  }

  private static long remainder(byte[] bytes, int from, int end, long start) {
    long hash = start;
    int index = from;
    for (; end - index >= 8; index += 8) {
      hash ^= round(0, (long) LONG.get(bytes, index));
      hash = Long.rotateLeft(hash, 27) * PRIME_1 + PRIME_4;
    }
    if (end - index >= 4) {
      hash ^= ((int) INT.get(bytes, index) & 0xFFFF_FFFFL) * PRIME_1;
      hash = Long.rotateLeft(hash, 23) * PRIME_2 + PRIME_3;
      index += 4;
    }
    for (; index < end; index++) {
      hash ^= (bytes[index] & 0xFF) * PRIME_5;
      hash = Long.rotateLeft(hash, 11) * PRIME_1;
    }
    return hash;
  }

  private static long round(long lane, long input) {
    return Long.rotateLeft(lane + input * PRIME_2, 31) * PRIME_1;
  }

  private static long merge(long hash, long lane) {
    return (hash ^ round(0, lane)) * PRIME_1 + PRIME_4;
  }

  private static long avalanche(long start) {
    long hash = start;
    hash ^= hash >>> 33;
    hash *= PRIME_2;
    hash ^= hash >>> 29;
    hash *= PRIME_3;
    return hash ^ hash >>> 32;
  }
}
