package io.retso.workload;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;

/** A store with a flaw that counts once, in a transaction that is committed. */
public final class FlawedStore implements Store {
  private final Store store;
  private final boolean all;
  private final Flaw flaw;
  private final AtomicInteger done = new AtomicInteger();

  /** It waits for the load to end. */
  private volatile boolean begun;

  /** Says which writes are left out. */
  public interface Flaw {
    /** Whether a write is to be left out. */
    boolean isAt(String program, Row row, boolean isDelete);
  }

  /**
   * A store with a flaw.
   *
   * @param all whether a transaction loses all of its writes that the flaw is at; otherwise one
   */
  public FlawedStore(Store store, boolean all, Flaw flaw) {
    this.store = store;
    this.all = all;
    this.flaw = flaw;
  }

  /** Before that nothing goes wrong. */
  public void begin() {
    begun = true;
  }

  /** Whether the flaw has happened. */
  public boolean happened() {
    return done.get() > 0;
  }

  @Override
  public void create(List<String> tables) throws IOException {
    store.create(tables);
  }

  @Override
  public StoreTransaction begin(Options options) throws IOException {
    return new FlawedTransaction(options.name(), store.begin(options));
  }

  @Override
  public void close() throws IOException {
    store.close();
  }

  private final class FlawedTransaction implements StoreTransaction {
    private final String program;
    private final StoreTransaction tx;
    private final Map<Row, byte[]> left = new HashMap<>();

    FlawedTransaction(String program, StoreTransaction tx) {
      this.program = program;
      this.tx = tx;
    }

    private boolean leavesOut(Row row, boolean isDelete) {
      return begun
          && done.get() == 0
          && (left.isEmpty() || all)
          && flaw.isAt(program, row, isDelete);
    }

    @Override
    public byte[] get(Row row) throws IOException {
      return tx.get(row);
    }

    @Override
    public byte[] lock(Row row) throws IOException {
      return tx.lock(row);
    }

    @Override
    public byte[] validate(Row row) throws IOException {
      return tx.validate(row);
    }

    @Override
    public void put(Row row, byte[] value) throws IOException {
      if (leavesOut(row, false)) {
        left.put(row, value);
      } else {
        tx.put(row, value);
      }
    }

    @Override
    public void delete(Row row) throws IOException {
      if (leavesOut(row, true)) {
        left.put(row, new byte[0]);
      } else {
        tx.delete(row);
      }
    }

    @Override
    public void scan(Range range, int limit, BiConsumer<String, byte[]> each) throws IOException {
      tx.scan(range, limit, each);
    }

    @Override
    public void commit() throws IOException {
      tx.commit();
      done.addAndGet(left.size());
    }

    @Override
    public void close() throws IOException {
      tx.close();
    }
  }
}
