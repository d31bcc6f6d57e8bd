package io.retso.workload.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.retso.client.RowId;
import io.retso.workload.Range;
import io.retso.workload.Row;
import java.util.Arrays;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/** Ids for the oracle. */
final class Ids {
  private Ids() {}

  static long ofRow(Row row) {
    return RowId.of(row.table().getBytes(UTF_8), row.key().getBytes(UTF_8));
  }

  /** The granule of all rows that begin as the first and the last one of a range do. */
  static long ofRange(Range range) {
    byte[] from = range.from().getBytes(UTF_8);
    byte[] to = range.to().getBytes(UTF_8);
    int alike = Arrays.mismatch(from, to);
    boolean isPrefix = // all that begin like its first key
        !range.from().isEmpty() && range.equals(Range.prefix(range.table(), range.from()));
    int bytes = isPrefix ? from.length : alike < 0 ? from.length : alike;
    return RowId.granule(range.table().getBytes(UTF_8), bytes, from);
  }

  /** The granules of all ranges that a row is in. */
  static LongStream granules(Row row) {
    byte[] table = row.table().getBytes(UTF_8);
    byte[] key = row.key().getBytes(UTF_8);
    return IntStream.rangeClosed(0, key.length)
        .mapToLong(bytes -> RowId.granule(table, bytes, key));
  }
}
