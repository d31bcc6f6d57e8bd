package io.retso.workload.store;

import io.retso.client.CommitResult;
import io.retso.client.OracleClient;
import io.retso.workload.Isolation;
import io.retso.workload.Options;
import io.retso.workload.Reason;
import io.retso.workload.RefusedException;
import io.retso.workload.Row;
import io.retso.workload.Store;
import io.retso.workload.StoreTransaction;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;

/**
 * The oracle alone: rows are versions in this process's memory, and an oracle decides what
 * conflicts. It shows what the oracle costs where the store costs nothing.
 *
 * <p>Memory: a version of a row stays until no transaction of this store is open that began before
 * the next one was committed.
 */
public final class OracleStore implements Store {
  private final OracleClient oracle;
  private final Map<String, ConcurrentSkipListMap<String, MemoryRow>> tables =
      new ConcurrentHashMap<>();
  private final Set<MemoryTransaction> open = ConcurrentHashMap.newKeySet();

  /** A timestamp that was given out: what begins from now on reads at a later one. */
  private final AtomicLong given = new AtomicLong();

  /** Uses an oracle, which is closed with the store. */
  public OracleStore(OracleClient oracle) {
    this.oracle = oracle;
  }

  @Override
  public void create(List<String> names) {
    names.forEach(name -> tables.put(name, new ConcurrentSkipListMap<>()));
  }

  @Override
  public StoreTransaction begin(Options options) throws IOException {
    if (options.isolation() != Isolation.SNAPSHOT) {
      throw new IllegalArgumentException("no isolation " + options.isolation());
    }
    return new MemoryTransaction(options);
  }

  @Override
  public void close() {
    oracle.close();
  }

  private MemoryRow row(Row row) {
    return tables
        .get(row.table())
        .computeIfAbsent(row.key(), key -> new MemoryRow(Ids.of(row.table(), key)));
  }

  /** No open transaction, and none that begins from now on, reads at an earlier timestamp. */
  private long oldestReader() {
    long oldest = given.get(); // first, since whoever begins later gets a later one
    for (MemoryTransaction tx : open) {
      oldest = Math.min(oldest, tx.oldest);
    }
    return oldest;
  }

  private final class MemoryTransaction extends BufferedTransaction {
    private final boolean readOnly;
    private final long timestamp;
    private final Set<MemoryRow> locked = new HashSet<>();

    /** What it reads at is no earlier; known before its timestamp is. */
    private final long oldest = given.get();

    private boolean isEnded;

    MemoryTransaction(Options options) {
      readOnly = options.readOnly();
      open.add(this);
      timestamp = readOnly ? oracle.timestamp() : oracle.begin();
      given.accumulateAndGet(timestamp, Math::max);
    }

    @Override
    byte[] read(Row row) throws IOException {
      MemoryRow found = tables.get(row.table()).get(row.key());
      return found == null ? null : found.at(timestamp);
    }

    @Override
    public byte[] lock(Row row) throws IOException {
      locked.add(row(row));
      return get(row);
    }

    @Override
    public byte[] validate(Row row) {
      throw new UnsupportedOperationException("validate");
    }

    @Override
    public void scan(String table, BiConsumer<String, byte[]> each) throws IOException {
      for (Map.Entry<String, MemoryRow> row : tables.get(table).entrySet()) {
        byte[] value = row.getValue().at(timestamp);
        if (value != null) {
          each.accept(row.getKey(), value);
        }
      }
    }

    @Override
    public void commit() throws IOException {
      if (readOnly) {
        end();
        return;
      }
      Decision decision = new Decision(timestamp);
      Set<MemoryRow> rows = locked;
      writes.forEach(
          (name, value) -> {
            MemoryRow row = row(name);
            row.add(decision, value);
            rows.add(row);
          });
      long commit = Decision.ABORTED;
      try {
        long[] ids = rows.stream().mapToLong(row -> row.id).toArray();
        CommitResult result = oracle.commit(timestamp, ids);
        if (!result.isCommitted()) {
          throw new RefusedException(reason(result), null);
        }
        commit = result.commitTimestamp();
      } finally {
        decision.decide(commit);
        oracle.cleanedUpLater(timestamp);
        end();
      }
      rows.stream().filter(MemoryRow::hasMany).forEach(row -> row.prune(oldestReader()));
    }

    private void end() {
      isEnded = true;
      open.remove(this);
    }

    @Override
    public void close() {
      if (!isEnded) {
        end();
        if (!readOnly) {
          oracle.endLater(timestamp);
        }
      }
    }
  }

  private static Reason reason(CommitResult result) {
    return switch (result.abortReason()) {
      case CONFLICT -> Reason.CONFLICT;
      case TOO_OLD, EARLIER -> Reason.TOO_OLD;
    };
  }
}
