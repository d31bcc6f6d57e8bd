package io.retso.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.oracle.Hold;
import io.retso.protocol.Timestamps;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

class LogEntryTest {
  private static final long FAR = Timestamps.MAX - Timestamps.GAP;

  private final long[] rows = new long[64];

  /** Writes down what it sees. */
  private static final class Transcript implements LogEntry.Visitor {
    final List<String> seen = new ArrayList<>();

    @Override
    public void committed(long start, long commit, long[] rows, int from, int to) {
      seen.add(
          "committed "
              + start
              + " "
              + commit
              + Arrays.toString(Arrays.copyOfRange(rows, from, to)));
    }

    @Override
    public void aborted(long start) {
      seen.add("aborted " + start);
    }

    @Override
    public void cleaned(long start) {
      seen.add("cleaned " + start);
    }

    @Override
    public void swept(long below) {
      seen.add("swept " + below);
    }

    @Override
    public void expired(long below) {
      seen.add("expired " + below);
    }

    @Override
    public void watermark(long below) {
      seen.add("watermark " + below);
    }

    @Override
    public void held(Hold hold) {
      seen.add("held " + hold);
    }

    @Override
    public void released(long timestamp) {
      seen.add("released " + timestamp);
    }

    @Override
    public void ended(long timestamp) {
      seen.add("ended " + timestamp);
    }

    @Override
    public void reserved(long timestamp) {
      seen.add("reserved " + timestamp);
    }

    @Override
    public void segment(long timestamp) {
      seen.add("segment " + timestamp);
    }

    @Override
    public void uncleaned(long start, long commit) {
      seen.add("uncleaned " + start + " " + commit);
    }

    @Override
    public void continued() {
      seen.add("continued");
    }

    @Override
    public void window(long timestamps) {
      seen.add("window " + timestamps);
    }
  }

  private static ByteBuffer everyRecord() {
    LogEntry entry = new LogEntry(1024);
    entry.segment(16);
    entry.window(1 << 28);
    entry.uncleaned(16, 32);
    entry.continued();
    entry.reserved(FAR);
    entry.committed(32, 48, new long[] {9, 0, -1, Long.MIN_VALUE, 9}, 1, 4);
    entry.committed(FAR - 16L * ((1L << 32) - 1), FAR, new long[0], 0, 0);
    entry.aborted(FAR);
    entry.cleaned(32);
    entry.swept(FAR);
    entry.expired(48);
    entry.watermark(FAR);
    entry.ended(FAR);
    return entry.seal(7);
  }

  @Test
  void everyRecordComesBack() throws LogException {
    Transcript transcript = new Transcript();
    assertEquals(7, LogEntry.read(everyRecord(), rows, transcript));
    assertEquals(
        List.of(
            "segment 16",
            "window 268435456",
            "uncleaned 16 32",
            "continued",
            "reserved " + FAR,
            "committed 32 48[0, -1, " + Long.MIN_VALUE + "]",
            "committed " + (FAR - 16L * ((1L << 32) - 1)) + " " + FAR + "[]",
            "aborted " + FAR,
            "cleaned 32",
            "swept " + FAR,
            "expired 48",
            "watermark " + FAR,
            "ended " + FAR),
        transcript.seen);
  }

  @Test
  void randomEntriesComeBack() throws LogException {
    Random random = new Random(5);
    LogEntry entry = new LogEntry(4096);
    for (int round = 0; round < 2_000; round++) {
      entry.clear();
      assertTrue(entry.isEmpty());
      Transcript expected = new Transcript();
      for (int n = random.nextInt(20); n > 0; n--) {
        long start = 16L * (1 + random.nextInt(1 << 20)) * (1 + random.nextInt(1 << 20));
        long commit = start + 16L * (1 + random.nextInt(1 << 28));
        switch (random.nextInt(7)) {
          case 6 -> {
            entry.watermark(start);
            expected.watermark(start);
          }
          case 4 -> {
            entry.swept(start);
            expected.swept(start);
          }
          case 5 -> {
            entry.expired(start);
            expected.expired(start);
          }
          case 0 -> {
            entry.aborted(start);
            expected.aborted(start);
          }
          case 1 -> {
            entry.uncleaned(start, commit);
            expected.uncleaned(start, commit);
          }
          case 2 -> {
            entry.reserved(commit);
            expected.reserved(commit);
          }
          default -> {
            long[] written = random.longs(random.nextInt(9)).toArray();
            entry.committed(start, commit, written, 0, written.length);
            expected.committed(start, commit, written, 0, written.length);
          }
        }
      }
      ByteBuffer sealed = entry.seal(round);
      assertEquals(entry.bytes(), 0);
      Transcript read = new Transcript();
      assertEquals(round, LogEntry.read(sealed.asReadOnlyBuffer(), rows, read));
      assertEquals(expected.seen, read.seen);
    }
  }

  @Test
  void aNullWriteIsAnEntryWithoutRecords() throws LogException {
    Transcript transcript = new Transcript();
    ByteBuffer sealed = new LogEntry(LogEntry.HEADER_BYTES).seal(3);
    assertEquals(LogEntry.HEADER_BYTES, sealed.remaining());
    assertEquals(3, LogEntry.read(sealed, rows, transcript));
    assertEquals(List.of(), transcript.seen);
  }

  @Test
  void everyFlippedBitIsDetected() {
    everyFlippedBitIsDetected(everyRecord());
    everyFlippedBitIsDetected(LogEntry.continuing(everyRecord()));
  }

  private void everyFlippedBitIsDetected(ByteBuffer sealed) {
    for (int bit = 0; bit < sealed.remaining() * 8; bit++) {
      ByteBuffer flipped = copy(sealed, sealed.remaining());
      int at = bit / 8;
      flipped.put(at, (byte) (flipped.get(at) ^ 1 << bit % 8));
      assertRefused(flipped, "bit " + bit);
    }
  }

  @Test
  void everyTruncationIsDetected() {
    ByteBuffer sealed = everyRecord();
    for (int length = 0; length < sealed.remaining(); length++) {
      assertRefused(copy(sealed, length), length + " bytes");
    }
    ByteBuffer longer = ByteBuffer.allocate(sealed.remaining() + 8).put(sealed.duplicate());
    assertRefused(longer.rewind(), "8 bytes more");
  }

  @Test
  void anotherVersionIsRefusedByName() {
    ByteBuffer sealed = copy(everyRecord(), everyRecord().remaining());
    sealed.put(2, (byte) 3);
    LogException e = assertRefused(sealed, "version 3");
    assertTrue(
        e.getMessage().contains("version 3, this build reads 2 and earlier"), e.getMessage());
    for (int version : new int[] {4, 64, 128}) {
      sealed.put(2, (byte) version);
      LogException newer =
          assertThrows(LogException.class, () -> LogEntry.read(sealed, rows, new Transcript()));
      assertEquals(LogException.Reason.NEWER, newer.reason());
      assertTrue(newer.getMessage().contains("version " + version), newer.getMessage());
    }
    sealed.put(2, (byte) 0);
    assertRefused(sealed, "version 0");
  }

  @Test
  void intactEntriesOfOtherContentAreRefused() {
    assertRefused(record(13L << 56), "record type 13");
    assertRefused(record(0), "record type 0");
    assertRefused(record(255L << 56), "record type 255");
    assertRefused(record(6L << 56 | 1), "an uncleaned commit without its timestamp");
    assertRefused(record(1L << 56 | 3L << 32, 16, 1, 2), "a commit that lacks a row");
    assertRefused(record(1L << 56 | 0xffffffL << 32, 16), "a commit of more rows than fit");
    assertRefused(record(1L << 56 | 65L << 32, 16), "a commit of more rows than there is room for");
  }

  private LogException assertRefused(ByteBuffer bytes, String what) {
    LogException e =
        assertThrows(
            LogException.class, () -> LogEntry.read(bytes, rows, new Transcript()), () -> what);
    assertEquals(LogException.Reason.CORRUPT, e.reason());
    return e;
  }

  private static ByteBuffer copy(ByteBuffer bytes, int length) {
    ByteBuffer copy = ByteBuffer.allocate(length);
    return copy.put(bytes.slice(0, length)).flip();
  }

  /** An entry with a right checksum around any words. */
  private static ByteBuffer record(long... words) {
    ByteBuffer b = ByteBuffer.allocate(16 + words.length * 8).order(ByteOrder.LITTLE_ENDIAN);
    b.putShort((short) 0x4c52).put((byte) LogEntry.VERSION).put((byte) 0).putInt(0).putLong(1);
    for (long word : words) {
      b.putLong(word);
    }
    CRC32C crc = new CRC32C();
    crc.update(b.array(), 8, b.capacity() - 8);
    return b.putInt(4, (int) crc.getValue()).flip();
  }

  @Test
  void heldSnapshotsComeBack() throws LogException {
    Hold hold = new Hold("nightly", 160, -7, 1_000, 1_700_000_000_000L);
    Hold longName = new Hold("n".repeat(64), 320, Long.MAX_VALUE, 5_000, 0);
    LogEntry written = new LogEntry(1000);
    int before = written.bytes();
    written.held(hold);
    assertEquals(LogEntry.HELD_BYTES, written.bytes() - before);
    written.held(longName);
    written.released(160);
    Transcript transcript = new Transcript();
    LogEntry.read(written.seal(1), rows, transcript);
    assertEquals(List.of("held " + hold, "held " + longName, "released 160"), transcript.seen);
  }

  @Test
  void aHeldSnapshotThatIsCutIsCorrupt() {
    LogEntry written = new LogEntry(1000);
    written.held(new Hold("nightly", 160, 1, 1_000, 1));
    ByteBuffer whole = written.seal(1);
    ByteBuffer cut = ByteBuffer.allocate(whole.remaining() - Long.BYTES);
    cut.put(whole.slice(0, cut.capacity())).flip();
    cut.order(ByteOrder.LITTLE_ENDIAN);
    CRC32C crc = new CRC32C();
    crc.update(cut.slice(8, cut.capacity() - 8));
    cut.putInt(4, (int) crc.getValue());
    LogException e =
        assertThrows(LogException.class, () -> LogEntry.read(cut, rows, new Transcript()));
    assertEquals(LogException.Reason.CORRUPT, e.reason());
    assertTrue(e.getMessage().contains("within a held snapshot"), e.getMessage());
  }
}
