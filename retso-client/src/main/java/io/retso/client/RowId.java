package io.retso.client;

import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * Row ids: the 64-bit numbers under which the oracle knows what a transaction writes.
 *
 * <p>Conflicts are found between equal ids. All clients of an oracle must therefore compute them
 * alike, in whatever language, and at the same granularity: either rows, or cells (row and column).
 *
 * <p><strong>Definition.</strong> The id is XXH64 with seed 0 over this encoding, its 64 bits taken
 * as a signed number; lengths are unsigned, 32 bits, big-endian:
 *
 * <pre>
 *   row id                              cell id
 *   +------------------+                +------------------+
 *   | table length u32 |                | table length u32 |
 *   | table bytes      |                | table bytes      |
 *   | row length   u32 |                | row length   u32 |
 *   | row bytes        |                | row bytes        |
 *   +------------------+                | family length u32|
 *                                       | family bytes     |
 *                                       | qualifier length |
 *                                       |   u32            |
 *                                       | qualifier bytes  |
 *                                       +------------------+
 * </pre>
 *
 * <p>A reader of the encoding always knows where a part ends, so different inputs have different
 * encodings: ("ab", "c") and ("a", "bc") do not collide by construction, nor does a row with any of
 * its cells. Texts are hashed as the bytes that the store holds (HBase names tables in UTF-8, with
 * the namespace in front unless it is the default one). XXH64 is specified in <a
 * href="https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md">xxhash_spec.md</a>.
 *
 * <p>Two different rows share an id with a probability of 2<sup>-64</sup> per pair. The harm is an
 * unnecessary abort, never a missed conflict.
 *
 * <p>Vectors to check another implementation against, texts as UTF-8:
 *
 * <pre>
 *   of("t", "r")                        0xcad233352a73b2de
 *   of("", "")                          0x34c96acdcadb1bbb
 *   of("accounts", "alice")             0x780a1475bbad75e5
 *   of("accounts", "alice", "f", "sum") 0x5d061c8f26a3f075
 * </pre>
 *
 * <p>Stateless and thread-safe.
 */
public final class RowId {
  private RowId() {}

  /**
   * The id of a row.
   *
   * @throws NullPointerException if a part is null; parts may be empty
   */
  public static long of(byte[] table, byte[] row) {
    return hash(put(put(buffer(sizeOf(table) + sizeOf(row)), table), row));
  }

  /**
   * The id of a cell, for conflicts between writers of the same column only.
   *
   * @throws NullPointerException if a part is null; parts may be empty
   */
  public static long of(byte[] table, byte[] row, byte[] family, byte[] qualifier) {
    long size = sizeOf(table) + sizeOf(row) + sizeOf(family) + sizeOf(qualifier);
    return hash(put(put(put(put(buffer(size), table), row), family), qualifier));
  }

  private static long sizeOf(byte[] part) {
    return Integer.BYTES + (long) Objects.requireNonNull(part, "part of a row id").length;
  }

  private static ByteBuffer buffer(long size) {
    return ByteBuffer.allocate(Math.toIntExact(size));
  }

  private static ByteBuffer put(ByteBuffer out, byte[] part) {
    return out.putInt(part.length).put(part);
  }

  private static long hash(ByteBuffer encoded) {
    return XxHash64.hash(encoded.array(), 0, encoded.capacity(), 0);
  }
}
