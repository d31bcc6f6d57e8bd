package io.retso.client;

import java.nio.ByteBuffer;
import java.util.Objects;
import org.apache.yetus.audience.InterfaceAudience;

/**
 * Row ids: the 64-bit numbers under which the oracle knows what a transaction writes and reads.
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
 * <p>A <em>granule</em> is a set of rows that has an id of its own: the rows of a table whose keys
 * begin with the same bytes (shorter keys are filled up with zeros), all rows of a table (those
 * that begin with the same 0 bytes), those that begin with the same bytes and go on with one of the
 * same {@link ByteGroup}, or one row: of a table whose conflicts are found by cell, or for all
 * short keys that are alike when they are filled up. The ids of granules begin with a number that
 * is no length:
 *
 * <pre>
 *   granule of keys that begin alike    granule of one row
 *   +------------------+                +------------------+
 *   | 0xffffffff    u32|                | 0xfffffffe    u32|
 *   | table length  u32|                | table length  u32|
 *   | table bytes      |                | table bytes      |
 *   | prefix length u32|                | row length    u32|
 *   | prefix bytes     |                | row bytes        |
 *   +------------------+                +------------------+
 *
 *   granule of a group
 *   +------------------+
 *   | 0xfffffffd    u32|
 *   | table length  u32|
 *   | table bytes      |
 *   | prefix length u32|
 *   | prefix bytes     |
 *   | first byte of the|
 *   |   group        u8|
 *   +------------------+
 * </pre>
 *
 * <p>A group of one byte has no granule of its own, but that of keys which begin alike.
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
 *   granule("accounts", 0, "alice")     0x8f22b1cb9fce9c05
 *   granule("accounts", 4, "alice")     0x01f696f78670ed22
 *   granule("accounts", 8, "alice")     0x4485808f3adbd88f
 *   rowGranule("accounts", "alice")     0x0343b8c86e64fd06
 *   groupGranule("accounts", 4, "alice") 0xf8c052937b9741fd
 * </pre>
 *
 * <p>Stateless and thread-safe.
 */
@InterfaceAudience.Public
public final class RowId {
  /** Bytes by which keys may be grouped, at most: no row key of HBase is longer. */
  public static final int PREFIX_BYTES_MAX = Short.MAX_VALUE;

  private static final int PREFIX_GRANULE = -1;
  private static final int ROW_GRANULE = -2;
  private static final int GROUP_GRANULE = -3;

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

  /**
   * The id of the granule of all rows whose keys begin with the same {@code prefixBytes} bytes as
   * this one; for 0 that of the whole table.
   *
   * @param prefixBytes 0 to {@link #PREFIX_BYTES_MAX}; a shorter key is filled up with zeros, which
   *     keeps the order of keys
   * @throws NullPointerException if a part is null; parts may be empty
   */
  public static long granule(byte[] table, int prefixBytes, byte[] key) {
    if (prefixBytes < 0 || prefixBytes > PREFIX_BYTES_MAX) {
      throw new IllegalArgumentException(
          "keys are grouped by 0 to " + PREFIX_BYTES_MAX + " bytes, not by " + prefixBytes);
    }
    ByteBuffer out = buffer(Integer.BYTES + sizeOf(table) + Integer.BYTES + prefixBytes);
    put(out.putInt(PREFIX_GRANULE), table).putInt(prefixBytes);
    out.put(key, 0, Math.min(key.length, prefixBytes)); // the others are zeros
    return hash(out);
  }

  /**
   * The id of the granule of all rows whose keys begin with the same {@code prefixBytes} bytes as
   * this one, and whose next byte is of the same {@link ByteGroup}.
   *
   * @param prefixBytes 0 to {@link #PREFIX_BYTES_MAX} - 1, and below the length of the key
   * @throws NullPointerException if a part is null; the table may be empty
   */
  public static long groupGranule(byte[] table, int prefixBytes, byte[] key) {
    if (prefixBytes < 0 || prefixBytes >= Math.min(key.length, PREFIX_BYTES_MAX)) {
      throw new IllegalArgumentException(
          "a key of " + key.length + " bytes has no group behind " + prefixBytes + " of them");
    }
    byte member = key[prefixBytes];
    if (ByteGroup.isAlone(member)) {
      return granule(table, prefixBytes + 1, key);
    }
    ByteBuffer out =
        buffer(Integer.BYTES + sizeOf(table) + Integer.BYTES + prefixBytes + Byte.BYTES);
    put(out.putInt(GROUP_GRANULE), table).putInt(prefixBytes);
    out.put(key, 0, prefixBytes).put((byte) ByteGroup.first(member));
    return hash(out);
  }

  /**
   * The id of a row as a granule: of a read that cannot name the cells at which it looked, or of
   * rows that have no granule of more bytes.
   *
   * @throws NullPointerException if a part is null; parts may be empty
   */
  public static long rowGranule(byte[] table, byte[] row) {
    ByteBuffer out = buffer(Integer.BYTES + sizeOf(table) + sizeOf(row));
    return hash(put(put(out.putInt(ROW_GRANULE), table), row));
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
