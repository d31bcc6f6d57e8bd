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

  private final int rows;
  private final int valueBytes;
  private final SplittableRandom random;
  private final ZipfDistribution zipf;

  /** Rows drawn uniformly, or with {@code skewed} by YCSB's zipfian distribution. */
  Rows(int rows, int valueBytes, long seed, boolean skewed) {
    this.rows = rows;
    this.valueBytes = valueBytes;
    this.random = new SplittableRandom(seed);
    this.zipf = skewed ? new ZipfDistribution(new Well19937c(seed), rows, ZIPF_EXPONENT) : null;
  }

  /** The key of a row, of fixed length. */
  static byte[] key(long row) {
    return Bytes.toBytes(String.format(java.util.Locale.ROOT, "user%010d", row));
  }

  /** The key of a random row. */
  byte[] next() {
    return key(
        zipf == null ? random.nextInt(rows) : Long.remainderUnsigned(zipf.sample() * SPREAD, rows));
  }

  /** Keys of {@code count} different random rows. */
  List<byte[]> next(int count) {
    Set<Integer> drawn = new HashSet<>();
    List<byte[]> keys = new ArrayList<>(count);
    while (keys.size() < count) {
      int row = random.nextInt(rows);
      if (drawn.add(row)) {
        keys.add(key(row));
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
