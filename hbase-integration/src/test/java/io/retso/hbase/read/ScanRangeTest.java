package io.retso.hbase.read;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.client.RowId;
import io.retso.hbase.layout.TableSettings;
import io.retso.hbase.options.Conflicts;
import io.retso.hbase.options.Reads;
import io.retso.hbase.table.IdSet;
import io.retso.hbase.table.PreparedTable;
import io.retso.protocol.OracleIdentity;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.LongStream;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;

/** Scans at random meet each writer of a row that could have changed what they delivered. */
class ScanRangeTest {
  private static final byte[] F = Bytes.toBytes("f");
  private static final int ROUNDS = 3_000;

  private final long seed = System.nanoTime();
  private final Random random = new Random(seed);

  /** A scan of a table, of which the application takes some rows, and what that depended on. */
  private final class Run {
    final TreeSet<byte[]> rows = new TreeSet<>(Bytes.BYTES_COMPARATOR);
    final Scan scan = new Scan();
    final List<byte[]> taken = new ArrayList<>();
    boolean exhausted;

    Run() {
      for (int i = random.nextInt(30); i > 0; i--) {
        rows.add(key(1));
      }
      scan.setReversed(random.nextInt(3) == 0);
      byte[] start = random.nextInt(5) == 0 ? new byte[0] : key(0);
      byte[] stop = random.nextInt(5) == 0 ? new byte[0] : key(0);
      if (start.length > 0 && stop.length > 0 && Bytes.compareTo(start, stop) > 0) {
        byte[] other = start;
        start = stop;
        stop = other;
      }
      scan.withStartRow(scan.isReversed() ? stop : start, random.nextInt(3) > 0);
      scan.withStopRow(scan.isReversed() ? start : stop, random.nextInt(3) == 0);
    }

    /** As HBase has it; a range of one row is that row if both ends are within. */
    boolean isInRange(byte[] row) {
      boolean reversed = scan.isReversed();
      return isBeyond(row, scan.getStartRow(), scan.includeStartRow(), !reversed)
          && isBeyond(row, scan.getStopRow(), scan.includeStopRow(), reversed);
    }

    private boolean isBeyond(byte[] row, byte[] bound, boolean with, boolean isLower) {
      int order = bound.length == 0 ? 1 : Bytes.compareTo(row, bound) * (isLower ? 1 : -1);
      return order > 0 || order == 0 && with;
    }

    /** Takes some of its rows, or all. */
    void take(ScanRange range) {
      int most = random.nextInt(3) == 0 ? random.nextInt(5) : Integer.MAX_VALUE;
      for (byte[] row : scan.isReversed() ? rows.descendingSet() : rows) {
        if (isInRange(row)) {
          if (taken.size() == most) {
            break;
          }
          range.reached(Result.create(List.of(new KeyValue(row, F, F, 1, F))));
          taken.add(row);
        }
      }
      exhausted = most == Integer.MAX_VALUE && random.nextInt(8) > 0;
      if (exhausted || random.nextBoolean()) { // others are left open
        range.ended(exhausted);
      }
    }

    /** Whether the application would have got something else if the row had been changed. */
    boolean dependsOn(byte[] row) {
      if (!isInRange(row)) {
        return false;
      }
      if (exhausted) {
        return true;
      }
      return !taken.isEmpty()
          && (scan.isReversed() ? 1 : -1) * Bytes.compareTo(row, taken.get(taken.size() - 1)) >= 0;
    }
  }

  /** Many are prefixes of each other, end with zeros, or have 0xff only. */
  private byte[] key(int least) {
    byte[] key = new byte[least + random.nextInt(random.nextInt(8) == 0 ? 40 : 5)];
    boolean isRun = key.length > 5 && random.nextBoolean();
    byte last = 0;
    for (int i = 0; i < key.length; i++) {
      boolean again = isRun && i < key.length - 3;
      last = again ? last : (byte) new int[] {0, 1, 'a', 'b', 0xfe, 0xff}[random.nextInt(6)];
      key[i] = last;
    }
    return key;
  }

  private PreparedTable table() {
    List<List<Integer>> sizes =
        List.of(List.of(), List.of(0), List.of(0, 2, 4), List.of(0, 1, 12), List.of(0, 3, 16, 40));
    return new PreparedTable(
        TableDescriptorBuilder.newBuilder(TableName.valueOf("t")).build(),
        new TableSettings(
            random.nextBoolean() ? Conflicts.ROW : Conflicts.CELL,
            Reads.SERVER,
            new OracleIdentity(new UUID(1, 2), "main"),
            "a:1",
            sizes.get(random.nextInt(sizes.size())),
            TableSettings.Cleanup.ROWS,
            1),
        null,
        null,
        null,
        0);
  }

  private static boolean meet(PreparedTable table, ReadSet.Ids read, byte[] row) {
    IdSet granules = new IdSet();
    table.granules().addAll(row, granules);
    byte[] name = table.name().getName();
    long id = table.isCellConflicts() ? RowId.of(name, row, F, F) : RowId.of(name, row);
    return LongStream.of(read.ids()).anyMatch(each -> each == id)
        || LongStream.of(read.ranges()).anyMatch(granules::contains);
  }

  @Test
  void whatAScanDependedOnIsMetByItsWriter() {
    int needed = 0;
    int outside = 0;
    int needless = 0;
    for (int i = 0; i < ROUNDS; i++) {
      PreparedTable table = table();
      ReadSet reads = ReadSet.tracked();
      Run run = new Run();
      run.take(reads.scan(table, run.scan));
      ReadSet.Ids read = reads.ids(new IdSet(), 1000);
      for (int k = 0; k < 20; k++) {
        byte[] row = k < 10 || run.taken.isEmpty() ? key(1) : near(run);
        boolean meet = meet(table, read, row);
        if (run.dependsOn(row)) {
          needed++;
          assertTrue(meet, () -> describe(run, row));
        } else {
          outside += table.hasGranulesOfAll() ? 0 : 1;
          needless += meet && !table.hasGranulesOfAll() ? 1 : 0;
        }
      }
    }
    System.out.printf(
        "%,d writers of what was scanned: all met; %,d others with default granules: %.1f %% met%n",
        needed, outside, 100.0 * needless / outside);
    assertTrue(needed > ROUNDS && outside > ROUNDS / 10, "seed " + seed);
  }

  /** A row that was taken, or one that differs in its last byte, or is longer by one. */
  private byte[] near(Run run) {
    byte[] row = run.taken.get(random.nextInt(run.taken.size()));
    byte[] near = Arrays.copyOf(row, row.length + random.nextInt(2));
    near[near.length - 1] += (byte) (random.nextInt(3) - 1);
    return near;
  }

  private String describe(Run run, byte[] row) {
    return String.format(
        "seed %d: %s, %d rows taken, exhausted %b: %s",
        seed, run.scan, run.taken.size(), run.exhausted, Bytes.toStringBinary(row));
  }
}
