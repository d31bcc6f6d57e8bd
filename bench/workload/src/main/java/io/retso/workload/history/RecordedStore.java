package io.retso.workload.history;

import io.retso.workload.Options;
import io.retso.workload.Range;
import io.retso.workload.RefusedException;
import io.retso.workload.Row;
import io.retso.workload.Store;
import io.retso.workload.StoreTransaction;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;

/**
 * A store that puts the number of its writer before every value, and keeps what transactions read
 * and wrote. A row that is deleted stays, with nothing but the number of its writer, below zero. A
 * scan has read all rows of its range: of those that it did not find it has read that they were not
 * there.
 *
 * <p>Memory: some 500 bytes for each transaction that is kept, and 100 for each row that was ever
 * used.
 */
public final class RecordedStore implements Store {
  private final Store store;
  private final int transactionsMax;
  private final AtomicLong numbers = new AtomicLong();
  private final Map<String, ConcurrentNavigableMap<String, Integer>> tables =
      new ConcurrentHashMap<>();
  private final AtomicInteger rowNumbers = new AtomicInteger();
  private List<Kept> ended = new ArrayList<>();
  private long unrecorded;

  /** A transaction whose scans are to be looked through for rows that others made. */
  private record Kept(Recorded transaction, List<Range> scanned) {}

  /**
   * Records what happens in a store.
   *
   * @param transactionsMax how many transactions are kept; of further ones only the number
   */
  public RecordedStore(Store store, int transactionsMax) {
    this.store = store;
    this.transactionsMax = transactionsMax;
  }

  /** What was recorded since the last call; begins anew. */
  public synchronized History history() {
    History history =
        new History(
            ended.stream()
                .map(this::withAbsent)
                .sorted(Comparator.comparingLong(Recorded::decidedNanos))
                .toList(),
            unrecorded);
    ended = new ArrayList<>();
    unrecorded = 0;
    return history;
  }

  /** A scan that did not find a row read what was there before anything was. */
  private Recorded withAbsent(Kept kept) {
    for (Range range : kept.scanned) {
      ConcurrentNavigableMap<String, Integer> behind = table(range.table()).tailMap(range.from());
      (range.to().isEmpty() ? behind : behind.headMap(range.to()))
          .values()
          .forEach(row -> kept.transaction.reads().putIfAbsent(row, 0L));
    }
    return kept.transaction;
  }

  private ConcurrentNavigableMap<String, Integer> table(String name) {
    return tables.computeIfAbsent(name, key -> new ConcurrentSkipListMap<>());
  }

  private synchronized void keep(Recorded transaction, List<Range> scanned) {
    if (ended.size() < transactionsMax) {
      ended.add(new Kept(transaction, scanned));
    } else if (transaction.committed()) {
      unrecorded++;
    }
  }

  @Override
  public void create(List<String> tables) throws IOException {
    store.create(tables);
  }

  @Override
  public StoreTransaction begin(Options options) throws IOException {
    return new Watched(options.name(), store.begin(options));
  }

  @Override
  public void awaitQuiet() throws IOException {
    store.awaitQuiet();
  }

  @Override
  public Map<String, String> facts() throws IOException {
    return store.facts();
  }

  @Override
  public void close() throws IOException {
    store.close();
  }

  private final class Watched implements StoreTransaction {
    private final String name;
    private final StoreTransaction tx;
    private final long number = numbers.incrementAndGet();
    private final Map<Integer, Long> reads = new LinkedHashMap<>();
    private final Set<Integer> writes = new LinkedHashSet<>();
    private final List<Range> scanned = new ArrayList<>();

    Watched(String name, StoreTransaction tx) {
      this.name = name;
      this.tx = tx;
    }

    private int number(Row row) {
      return table(row.table()).computeIfAbsent(row.key(), key -> rowNumbers.getAndIncrement());
    }

    private byte[] noted(Row row, byte[] value) {
      long head = value == null ? 0 : ByteBuffer.wrap(value).getLong();
      if (Math.abs(head) != number) {
        reads.putIfAbsent(number(row), Math.abs(head));
      }
      return head > 0 ? unwrapped(value) : null;
    }

    @Override
    public byte[] get(Row row) throws IOException {
      return noted(row, tx.get(row));
    }

    @Override
    public List<byte[]> getAll(String table, List<String> keys) throws IOException {
      List<byte[]> values = tx.getAll(table, keys);
      List<byte[]> unwrapped = new ArrayList<>(values.size());
      for (int i = 0; i < values.size(); i++) {
        unwrapped.add(noted(new Row(table, keys.get(i)), values.get(i)));
      }
      return unwrapped;
    }

    @Override
    public byte[] lock(Row row) throws IOException {
      return noted(row, tx.lock(row));
    }

    @Override
    public byte[] validate(Row row) throws IOException {
      return noted(row, tx.validate(row));
    }

    @Override
    public void put(Row row, byte[] value) throws IOException {
      tx.put(
          row, ByteBuffer.allocate(Long.BYTES + value.length).putLong(number).put(value).array());
      writes.add(number(row));
    }

    @Override
    public void insert(Row row, byte[] value) throws IOException {
      reads.putIfAbsent(number(row), 0L);
      put(row, value);
    }

    @Override
    public void delete(Row row) throws IOException {
      tx.put(row, ByteBuffer.allocate(Long.BYTES).putLong(-number).array());
      writes.add(number(row));
    }

    /** Rows that are deleted do not count for the limit, so it may take several scans. */
    @Override
    public void scan(Range range, int limit, BiConsumer<String, byte[]> each) throws IOException {
      Range left = range;
      int given = 0;
      while (given < limit) {
        Seen seen = new Seen(range.table(), each);
        tx.scan(left, limit - given, seen::see);
        if (seen.all < limit - given) {
          scanned.add(range);
          return;
        }
        given += seen.given;
        left = left.after(seen.last);
        if (given == limit) {
          scanned.add(range.upTo(seen.last));
        }
      }
    }

    /** Hands on the rows of a scan that are not deleted. */
    private final class Seen {
      private final String table;
      private final BiConsumer<String, byte[]> each;
      private String last = "";
      private int all;
      private int given;

      Seen(String table, BiConsumer<String, byte[]> each) {
        this.table = table;
        this.each = each;
      }

      void see(String key, byte[] wrapped) {
        last = key;
        all++;
        byte[] value = noted(new Row(table, key), wrapped);
        if (value != null) {
          given++;
          each.accept(key, value);
        }
      }
    }

    @Override
    public void commit() throws IOException {
      try {
        tx.commit();
      } catch (RefusedException e) {
        if (e.reason().isCertification()) {
          keep(recorded(false), scanned);
        }
        throw e;
      }
      keep(recorded(true), scanned);
    }

    private Recorded recorded(boolean committed) {
      int[] written = writes.stream().mapToInt(Integer::intValue).toArray();
      return new Recorded(number, name, tx.decidedNanos(), committed, reads, written);
    }

    @Override
    public void close() throws IOException {
      tx.close();
    }
  }

  private static byte[] unwrapped(byte[] value) {
    return Arrays.copyOfRange(value, Long.BYTES, value.length);
  }
}
