package io.retso.bench.hbase;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.apache.commons.math3.distribution.ZipfDistribution;
import org.apache.commons.math3.random.Well19937c;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.util.Bytes;

/** Random rows of a table and values for them. For one thread. */
final class Rows {
  static final byte[] FAMILY = Bytes.toBytes("f");
  static final byte[] QUALIFIER = Bytes.toBytes("q");

  /** YCSB's constant. */
  private static final double ZIPF_EXPONENT = 0.99;

  /** Odd, so that multiplying by it spreads the popular rows over the whole table. */
  private static final long SPREAD = 0x9E37_79B9_7F4A_7C15L;

  /** Names for each row that was loaded. */
  private static final long WIDTH = 1000;

  /** Which rows are drawn. */
  enum Draw {
    /** Those that were loaded, each as often. */
    UNIFORM,

    /** Single ones by YCSB's zipfian distribution, batches uniformly. */
    SKEWED,

    /**
     * One of a thousand names for each row that was loaded, between it and the next, so in all
     * regions alike: transactions hardly ever draw the same. To be written only, as nothing is
     * there.
     */
    WIDE
  }

  private final int rows;
  private final boolean wide;
  private final int valueBytes;
  private final SplittableRandom random;
  private final ZipfDistribution zipf;

  /**
   * Random rows and values.
   *
   * @param rows that were loaded
   */
  Rows(int rows, int valueBytes, long seed, Draw draw) {
    this.rows = rows;
    this.wide = draw == Draw.WIDE;
    this.valueBytes = valueBytes;
    this.random = new SplittableRandom(seed);
    this.zipf =
        draw == Draw.SKEWED
            ? new ZipfDistribution(new Well19937c(seed), rows, ZIPF_EXPONENT)
            : null;
  }

  /** The key of a row that was loaded, of fixed length. */
  static byte[] key(long row) {
    return Bytes.toBytes(String.format(java.util.Locale.ROOT, "user%010d", row));
  }

  /** The key of a random row. */
  byte[] next() {
    return zipf == null ? drawn(draw()) : key(Long.remainderUnsigned(zipf.sample() * SPREAD, rows));
  }

  private long draw() {
    return wide ? random.nextLong(rows * WIDTH) : random.nextInt(rows);
  }

  /** The key of a row that was drawn; a wide one begins like that of the row before it. */
  private byte[] drawn(long row) {
    return wide ? Bytes.toBytes(String.format(java.util.Locale.ROOT, "user%013d", row)) : key(row);
  }

  /** Keys of {@code count} different random rows. */
  List<byte[]> next(int count) {
    Set<Long> different = new HashSet<>();
    List<byte[]> keys = new ArrayList<>(count);
    while (keys.size() < count) {
      long row = draw();
      if (different.add(row)) {
        keys.add(drawn(row));
      }
    }
    return keys;
  }

  /** Reads of random rows. */
  List<Get> gets(int count) {
    return next(count).stream().map(Get::new).toList();
  }

  /** Writes to random rows; a list that may be changed, as HBase wants it. */
  List<Put> puts(int count) {
    List<Put> puts = new ArrayList<>(count);
    next(count).forEach(key -> puts.add(put(key)));
    return puts;
  }

  /** The key of a row that is not there, next to a random one. */
  byte[] absent() {
    return Bytes.add(next(), Bytes.toBytes(random.nextLong()));
  }

  /** A scan of some rows from a random one on, in one request. */
  Scan scan(int count) {
    return new Scan().withStartRow(next()).setLimit(count).setCaching(count);
  }

  /** A write of a random value. */
  Put put(byte[] key) {
    byte[] value = new byte[valueBytes];
    random.nextBytes(value);
    return new Put(key).addColumn(FAMILY, QUALIFIER, value);
  }

  /** 0 to {@code bound - 1}. */
  int choose(int bound) {
    return random.nextInt(bound);
  }
}
