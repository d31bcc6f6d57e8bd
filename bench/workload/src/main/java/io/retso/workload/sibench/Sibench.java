package io.retso.workload.sibench;

import static io.retso.workload.Numbers.bytes;
import static io.retso.workload.Numbers.number;

import io.retso.workload.Isolation;
import io.retso.workload.Options;
import io.retso.workload.Program;
import io.retso.workload.Row;
import io.retso.workload.Store;
import io.retso.workload.StoreTransaction;
import io.retso.workload.Workload;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.LongAdder;

/**
 * A table of keys with values: half of the transactions add one to the value of a random key, the
 * other half look through the whole table for the key of the lowest value.
 */
public final class Sibench implements Workload {
  private static final String TABLE = "sitest";

  /** All tables. */
  public static final List<String> TABLES = List.of(TABLE);

  private final int rows;
  private final Options update;
  private final Options query;
  private final LongAdder updates = new LongAdder();

  /** A workload on so many rows; {@link #load} comes first. */
  public Sibench(int rows, Isolation isolation) {
    this.rows = rows;
    this.update = new Options("update", isolation, false);
    this.query = new Options("query", isolation, true);
  }

  @Override
  public List<String> schema() {
    return TABLES;
  }

  @Override
  public void load(Store store) throws IOException {
    Map<Row, byte[]> empty = new LinkedHashMap<>();
    for (int i = 0; i < rows; i++) {
      empty.put(row(i), bytes(0));
    }
    store.fill(empty);
    updates.reset();
  }

  private static Row row(int number) {
    return new Row(TABLE, String.format(Locale.ROOT, "%08d", number));
  }

  @Override
  public Program next(SplittableRandom random) {
    return random.nextBoolean() ? new Update(row(random.nextInt(rows))) : new Query();
  }

  private final class Update implements Program {
    private final Row row;

    Update(Row row) {
      this.row = row;
    }

    @Override
    public Options options() {
      return update;
    }

    @Override
    public boolean run(StoreTransaction tx) throws IOException {
      tx.put(row, bytes(number(tx.get(row)) + 1));
      return true;
    }

    @Override
    public void committed() {
      updates.increment();
    }
  }

  private final class Query implements Program {
    private final Lowest lowest = new Lowest();

    @Override
    public Options options() {
      return query;
    }

    @Override
    public boolean run(StoreTransaction tx) throws IOException {
      tx.scan(TABLE, lowest::see);
      if (lowest.seen != rows) {
        throw new IOException("a query saw " + lowest.seen + " of " + rows + " rows");
      }
      return true;
    }
  }

  private static final class Lowest {
    private String key;
    private long value = Long.MAX_VALUE;
    private int seen;
    private long sum;

    void see(String next, byte[] bytes) {
      long number = number(bytes);
      seen++;
      sum += number;
      if (key == null || number < value) {
        key = next;
        value = number;
      }
    }
  }

  /** Every update adds one. */
  @Override
  public String check(Store store) throws IOException {
    Lowest all = new Lowest();
    try (StoreTransaction tx = store.begin(Options.ALONE)) {
      tx.scan(TABLE, all::see);
    }
    return all.seen == rows && all.sum == updates.sum()
        ? ""
        : String.format(
            Locale.ROOT,
            "%,d of %,d rows are there; %,d updates were committed, and the values add up to %,d",
            all.seen,
            rows,
            updates.sum(),
            all.sum);
  }
}
