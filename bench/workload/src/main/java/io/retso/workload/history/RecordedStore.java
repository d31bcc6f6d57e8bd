package io.retso.workload.history;

import io.retso.workload.Options;
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
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;

/**
 * A store that puts the number of its writer before every value, and keeps what transactions read
 * and wrote. Scans are handed on and not recorded.
 *
 * <p>Memory: some 500 bytes for each transaction that is kept, and 100 for each row that was ever
 * used.
 */
public final class RecordedStore implements Store {
  private final Store store;
  private final int transactionsMax;
  private final AtomicLong numbers = new AtomicLong();
  private final Map<Row, Integer> rows = new ConcurrentHashMap<>();
  private final AtomicInteger rowNumbers = new AtomicInteger();
  private List<Recorded> ended = new ArrayList<>();
  private long unrecorded;

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
    ended.sort(Comparator.comparingLong(Recorded::decidedNanos));
    History history = new History(ended, unrecorded);
    ended = new ArrayList<>();
    unrecorded = 0;
    return history;
  }

  private synchronized void keep(Recorded transaction) {
    if (ended.size() < transactionsMax) {
      ended.add(transaction);
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

    Watched(String name, StoreTransaction tx) {
      this.name = name;
      this.tx = tx;
    }

    private int number(Row row) {
      return rows.computeIfAbsent(row, key -> rowNumbers.getAndIncrement());
    }

    private byte[] noted(Row row, byte[] value) {
      long writer = value == null ? 0 : ByteBuffer.wrap(value).getLong();
      if (writer != number) {
        reads.putIfAbsent(number(row), writer);
      }
      return value == null ? null : unwrapped(value);
    }

    @Override
    public byte[] get(Row row) throws IOException {
      return noted(row, tx.get(row));
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
    public void scan(String table, BiConsumer<String, byte[]> each) throws IOException {
      tx.scan(table, (key, value) -> each.accept(key, unwrapped(value)));
    }

    @Override
    public void commit() throws IOException {
      try {
        tx.commit();
      } catch (RefusedException e) {
        if (e.reason().isCertification()) {
          keep(recorded(false));
        }
        throw e;
      }
      keep(recorded(true));
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
