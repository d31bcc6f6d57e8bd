package io.retso.log;

import io.retso.oracle.Changes;
import io.retso.oracle.Hold;
import io.retso.protocol.Limits;
import io.retso.protocol.Timestamps;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;

/**
 * An entry of the log: a header and records, little-endian.
 *
 * <pre>
 *   0           2      3      4            8                 16
 *   +-----------+------+------+------------+-----------------+--------- - -
 *   | magic u16 | ver  | kind | crc32c u32 | position i64    | records
 *   +-----------+------+------+------------+-----------------+--------- - -
 *                                          |&lt;---- covered by the crc ---->|
 * </pre>
 *
 * <p>A record begins with a word of which the top byte is its type:
 *
 * <pre>
 *   COMMIT     | 1 | rows u24 | commit - start, in timestamps u32 |  commit timestamp i64   rows x i64
 *   ABORT      | 2 | start sequence u56 |
 *   CLEANED    | 3 | start sequence u56 |
 *   RESERVED   | 4 | sequence u56: all timestamps below it may be issued |
 *   SEGMENT    | 5 | sequence u56: time at which this segment begins |
 *   UNCLEANED  | 6 | start sequence u56 |  commit timestamp i64
 *   CONTINUED  | 7 | 0 |  ends the uncleaned commits of a SEGMENT; changes may stand among them
 *   WINDOW     | 8 | timestamps u56: from here on what is further back than this cannot commit
 *   SWEPT      | 9 | sequence u56: what committed below it is cleaned up
 *   EXPIRED    |10 | sequence u56: what started below it and is not committed never will be
 *   WATERMARK  |11 | sequence u56: a low watermark that may be answered once this is durable
 *   ENDED      |12 | sequence u56: its writer stopped, and issued none from here on
 *   HELD       |13 | sequence u56: a snapshot that is held |  number of the call i64, for how many ms
 *                                                          |  i64, since when in ms i64, name
 *   RELEASED   |14 | sequence u56: a snapshot that is held no longer
 * </pre>
 *
 * <p>A name has 64 bytes of ASCII, with zeros behind it. HELD and RELEASED stand in entries of
 * {@link #HOLDS_VERSION} or later ones.
 *
 * <p>An entry without records is the paper's null write. This object is one reusable buffer for
 * writing; reading is static. Not thread-safe.
 */
public final class LogEntry implements Changes {
  /** Bytes of the header. */
  public static final int HEADER_BYTES = 16;

  /**
   * The first version of the format, which a sealed entry has until the log gives it the one of its
   * segment ({@link LedgerLog#writeAtMost}). A reader takes earlier ones. The checksum does not
   * cover the version, so versions are powers of two: no flipped bit makes one of another.
   */
  public static final int VERSION = 1;

  /** The first version whose entries may speak of held snapshots. */
  public static final int HOLDS_VERSION = 2;

  /** Bytes of a record HELD. */
  public static final int HELD_BYTES = 4 * Long.BYTES + Limits.HOLD_NAME_CHARS_MAX;

  /**
   * The kind of the first entry of a ledger that continues the segment of the one before it. The
   * checksum does not cover the kind either: two bits tell it from the usual one.
   */
  private static final byte CONTINUING = 3;

  private static final byte USUAL = 0;
  private static final short MAGIC = 0x4c52; // "RL"
  private static final int VERSION_OFFSET = 2;
  private static final int KIND_OFFSET = 3;
  private static final int CRC_OFFSET = 4;
  private static final int POSITION_OFFSET = 8;

  private static final int TYPE_SHIFT = 56;
  private static final long SEQUENCE_MASK = (1L << TYPE_SHIFT) - 1;
  private static final int ROWS_SHIFT = 32;
  private static final int ROWS_MASK = (1 << 24) - 1;
  private static final long DISTANCE_MASK = 0xffff_ffffL;

  private static final int COMMIT = 1;
  private static final int ABORT = 2;
  private static final int CLEANED = 3;
  private static final int RESERVED = 4;
  private static final int SEGMENT = 5;
  private static final int UNCLEANED = 6;
  private static final int CONTINUED = 7;
  private static final int WINDOW = 8;
  private static final int SWEPT = 9;
  private static final int EXPIRED = 10;
  private static final int WATERMARK = 11;
  private static final int ENDED = 12;
  private static final int HELD = 13;
  private static final int RELEASED = 14;

  /**
   * The newest version that this build reads. A method, since a constant would be copied into the
   * classes that use it.
   */
  public static int newestVersion() {
    return HOLDS_VERSION;
  }

  private final ByteBuffer buffer;
  private final CRC32C crc = new CRC32C();

  /** Allocates a buffer of {@code capacity} bytes, header included. */
  public LogEntry(int capacity) {
    buffer = ByteBuffer.allocateDirect(capacity).order(ByteOrder.LITTLE_ENDIAN);
    clear();
  }

  /** Empties the entry for its next use. */
  public void clear() {
    buffer.clear().position(HEADER_BYTES);
  }

  /** Bytes so far, header included. */
  public int bytes() {
    return buffer.position();
  }

  /** Bytes that still fit. */
  public int remaining() {
    return buffer.remaining();
  }

  public boolean isEmpty() {
    return buffer.position() == HEADER_BYTES;
  }

  @Override
  public void committed(long start, long commit, long[] rows, int from, int to) {
    long distance = commit - start >>> Timestamps.GAP_BITS;
    ByteBuffer b = buffer;
    b.putLong((long) COMMIT << TYPE_SHIFT | (long) (to - from) << ROWS_SHIFT | distance);
    b.putLong(commit);
    for (int i = from; i < to; i++) {
      b.putLong(rows[i]);
    }
  }

  @Override
  public void aborted(long start) {
    putSequence(ABORT, start);
  }

  @Override
  public void cleaned(long start) {
    putSequence(CLEANED, start);
  }

  @Override
  public void swept(long below) {
    putSequence(SWEPT, below);
  }

  @Override
  public void expired(long below) {
    putSequence(EXPIRED, below);
  }

  @Override
  public void watermark(long below) {
    putSequence(WATERMARK, below);
  }

  @Override
  public void held(Hold hold) {
    putSequence(HELD, hold.timestamp());
    buffer.putLong(hold.call()).putLong(hold.ttlMillis()).putLong(hold.sinceMillis());
    byte[] name = hold.name().getBytes(StandardCharsets.US_ASCII);
    buffer.put(name).put(new byte[Limits.HOLD_NAME_CHARS_MAX - name.length]);
  }

  @Override
  public void released(long timestamp) {
    putSequence(RELEASED, timestamp);
  }

  /** All timestamps below {@code timestamp} may be issued once this entry is durable. */
  public void reserved(long timestamp) {
    putSequence(RESERVED, timestamp);
  }

  /** The writer stops: {@code timestamp} and those above it were not issued, and will not be. */
  public void ended(long timestamp) {
    putSequence(ENDED, timestamp);
  }

  /** A segment begins: {@code timestamp} is the next to be issued. */
  public void segment(long timestamp) {
    putSequence(SEGMENT, timestamp);
  }

  /** The length of the writer's window in timestamps; it holds until the next one is logged. */
  public void window(int timestamps) {
    buffer.putLong((long) WINDOW << TYPE_SHIFT | timestamps);
  }

  /** A commit that was not cleaned up when the segment began. */
  public void uncleaned(long start, long commit) {
    putSequence(UNCLEANED, start);
    buffer.putLong(commit);
  }

  /** The last uncleaned commit was listed. */
  public void continued() {
    buffer.putLong((long) CONTINUED << TYPE_SHIFT);
  }

  private void putSequence(int type, long timestamp) {
    buffer.putLong((long) type << TYPE_SHIFT | timestamp >>> Timestamps.GAP_BITS);
  }

  /** Completes the entry and returns its bytes; they must not change until it is durable. */
  public ByteBuffer seal(long position) {
    buffer.flip();
    buffer.putShort(0, MAGIC).put(VERSION_OFFSET, (byte) VERSION).put(KIND_OFFSET, USUAL);
    buffer.putLong(POSITION_OFFSET, position);
    buffer.position(POSITION_OFFSET);
    crc.reset();
    crc.update(buffer);
    buffer.putInt(CRC_OFFSET, (int) crc.getValue());
    return buffer.position(0);
  }

  /** The bytes of the entry that was sealed last. */
  public ByteBuffer sealed() {
    return buffer.rewind();
  }

  /** Gives a sealed entry a version. */
  static void stamp(ByteBuffer sealed, int version) {
    sealed.put(sealed.position() + VERSION_OFFSET, (byte) version);
  }

  /** A copy of a sealed entry for the beginning of a ledger that continues a segment. */
  static ByteBuffer continuing(ByteBuffer sealed) {
    ByteBuffer copy = ByteBuffer.allocateDirect(sealed.remaining());
    copy.put(sealed.duplicate()).flip();
    return copy.put(KIND_OFFSET, CONTINUING);
  }

  /** Whether a ledger that begins with an entry continues the segment of the one before it. */
  static boolean continues(ByteBuffer entry) {
    return entry.remaining() > KIND_OFFSET
        && entry.get(entry.position() + KIND_OFFSET) == CONTINUING;
  }

  /** Sees the records of entries, in order. */
  public interface Visitor extends Changes {
    void reserved(long timestamp);

    void segment(long timestamp);

    void uncleaned(long start, long commit);

    void continued();

    /** The window of the writer, in timestamps. */
    default void window(long timestamps) {}

    /** The writer stopped without using what it had reserved from here on. */
    default void ended(long timestamp) {}
  }

  /** The position of an entry, which is not checked otherwise. */
  static long position(ByteBuffer entry) {
    return entry.slice().order(ByteOrder.LITTLE_ENDIAN).getLong(POSITION_OFFSET);
  }

  /**
   * Reads an entry.
   *
   * @param entry from its position to its limit; any byte order
   * @param rows room for the rows of one commit
   * @return the entry's position in the log
   * @throws LogException {@link LogException.Reason#NEWER} if a later build wrote it; {@link
   *     LogException.Reason#CORRUPT} if the bytes are not an intact entry
   */
  public static long read(ByteBuffer entry, long[] rows, Visitor visitor) throws LogException {
    ByteBuffer in = entry.slice().order(ByteOrder.LITTLE_ENDIAN);
    check(in);
    long position = in.getLong(POSITION_OFFSET);
    in.position(HEADER_BYTES);
    while (in.remaining() >= Long.BYTES) {
      readRecord(in, rows, visitor, position);
    }
    if (in.hasRemaining()) {
      throw corrupt(position, "ends within a record");
    }
    return position;
  }

  private static void check(ByteBuffer in) throws LogException {
    if (in.remaining() < HEADER_BYTES || in.getShort(0) != MAGIC) {
      throw corrupt(-1, "does not begin like one; is this ledger ReTSO's?");
    }
    int version = in.get(VERSION_OFFSET) & 0xff;
    boolean isOne = Integer.bitCount(version) == 1;
    if (!isOne || version > newestVersion()) {
      throw new LogException(
          isOne ? LogException.Reason.NEWER : LogException.Reason.CORRUPT,
          "a log entry has version "
              + version
              + ", this build reads "
              + newestVersion()
              + " and earlier");
    }
    CRC32C crc = new CRC32C();
    in.position(POSITION_OFFSET);
    crc.update(in);
    byte kind = in.get(KIND_OFFSET);
    if ((int) crc.getValue() != in.getInt(CRC_OFFSET) || kind != USUAL && kind != CONTINUING) {
      throw corrupt(in.getLong(POSITION_OFFSET), "has a wrong checksum");
    }
  }

  private static void readRecord(ByteBuffer in, long[] rows, Visitor visitor, long position)
      throws LogException {
    long word = in.getLong();
    long timestamp = (word & SEQUENCE_MASK) << Timestamps.GAP_BITS;
    switch ((int) (word >>> TYPE_SHIFT)) {
      case COMMIT -> {
        int count = (int) (word >>> ROWS_SHIFT) & ROWS_MASK;
        if (count > rows.length || in.remaining() < (count + 1) * Long.BYTES) {
          throw corrupt(position, "ends within a commit of " + count + " rows");
        }
        long commit = in.getLong();
        for (int i = 0; i < count; i++) {
          rows[i] = in.getLong();
        }
        long start = commit - ((word & DISTANCE_MASK) << Timestamps.GAP_BITS);
        visitor.committed(start, commit, rows, 0, count);
      }
      case ABORT -> visitor.aborted(timestamp);
      case CLEANED -> visitor.cleaned(timestamp);
      case RESERVED -> visitor.reserved(timestamp);
      case SEGMENT -> visitor.segment(timestamp);
      case UNCLEANED -> {
        if (in.remaining() < Long.BYTES) {
          throw corrupt(position, "ends within an uncleaned commit");
        }
        visitor.uncleaned(timestamp, in.getLong());
      }
      case CONTINUED -> visitor.continued();
      case WINDOW -> visitor.window(word & SEQUENCE_MASK);
      case SWEPT -> visitor.swept(timestamp);
      case EXPIRED -> visitor.expired(timestamp);
      case WATERMARK -> visitor.watermark(timestamp);
      case ENDED -> visitor.ended(timestamp);
      case HELD -> {
        if (in.remaining() < HELD_BYTES - Long.BYTES) {
          throw corrupt(position, "ends within a held snapshot");
        }
        visitor.held(readHold(in, timestamp));
      }
      case RELEASED -> visitor.released(timestamp);
      default -> throw corrupt(position, "has a record of unknown type " + (word >>> TYPE_SHIFT));
    }
  }

  private static Hold readHold(ByteBuffer in, long timestamp) {
    long call = in.getLong();
    long ttlMillis = in.getLong();
    long sinceMillis = in.getLong();
    byte[] name = new byte[Limits.HOLD_NAME_CHARS_MAX];
    in.get(name);
    int length = 0;
    while (length < name.length && name[length] != 0) {
      length++;
    }
    String text = new String(name, 0, length, StandardCharsets.US_ASCII);
    return new Hold(text, timestamp, call, ttlMillis, sinceMillis);
  }

  private static LogException corrupt(long position, String what) {
    return new LogException(
        LogException.Reason.CORRUPT, "the log entry at position " + position + " " + what);
  }
}
