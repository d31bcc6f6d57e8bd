package io.retso.workload.store;

import io.retso.client.CommitRequest;
import io.retso.client.CommitResult;
import io.retso.client.OracleClient;
import io.retso.client.OracleException;
import io.retso.client.TransactionHandle;
import io.retso.workload.Isolation;
import io.retso.workload.Options;
import io.retso.workload.Range;
import io.retso.workload.Reason;
import io.retso.workload.RefusedException;
import io.retso.workload.Row;
import io.retso.workload.Store;
import io.retso.workload.StoreTransaction;
import io.retso.workload.UnknownOutcomeException;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/**
 * The oracle alone: rows are versions in this process's memory, and an oracle decides what
 * conflicts. It shows what the oracle costs where the store costs nothing.
 *
 * <p>Serializable transactions that only read do so on a safe snapshot; the others say what they
 * read when they commit.
 *
 * <p>Memory: a version of a row stays until no transaction of this store is open that began before
 * the next one was committed. Rows that were looked for stay, too.
 */
public class OracleStore implements Store {
  /** So long after a reader asked for a safe snapshot its versions stay. */
  private static final long SAFE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

  final OracleClient oracle;
  final Map<String, ConcurrentSkipListMap<String, MemoryRow>> tables = new ConcurrentHashMap<>();
  private final Set<MemoryTransaction> open = ConcurrentHashMap.newKeySet();

  /** A timestamp that was given out: what begins from now on reads at a later one. */
  private final AtomicLong given = new AtomicLong();

  /** The newest safe snapshot that was given out: the next one is no earlier. */
  private final AtomicLong safe = new AtomicLong();

  /** When one was asked for, by the clock of the JVM. */
  private volatile long safeAsked = System.nanoTime() - SAFE_NANOS;

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
    return new MemoryTransaction(options);
  }

  @Override
  public void awaitQuiet() throws IOException {
    begin(Options.DEFERRED).close();
  }

  @Override
  public void close() {
    oracle.close();
  }

  private MemoryRow row(Row row) {
    return tables.get(row.table()).computeIfAbsent(row.key(), key -> new MemoryRow(Ids.ofRow(row)));
  }

  private Map<String, MemoryRow> rows(Range range) {
    ConcurrentNavigableMap<String, MemoryRow> all = tables.get(range.table()).tailMap(range.from());
    return range.to().isEmpty() ? all : all.headMap(range.to());
  }

  /** No open transaction, and none that begins from now on, reads at an earlier timestamp. */
  private long oldestReader() {
    long oldest = given.get(); // first, since a later begin gets a later one
    if (System.nanoTime() - safeAsked < SAFE_NANOS) {
      oldest = Math.min(oldest, safe.get());
    }
    for (MemoryTransaction tx : open) {
      oldest = Math.min(oldest, tx.oldest);
    }
    return oldest;
  }

  /** The newest one; or if that is not above a timestamp, the next one, which it waits for. */
  private long safeSnapshot(long above) {
    long newest = oracle.safeSnapshot();
    while (newest <= above) {
      LockSupport.parkNanos(POLL_NANOS);
      newest = oracle.safeSnapshot();
    }
    return newest;
  }

  class MemoryTransaction extends BufferedTransaction {
    private final boolean readOnly;
    private final boolean serializable;
    final long timestamp;
    private final Set<MemoryRow> locked = new HashSet<>();
    private final Set<MemoryRow> validated = new HashSet<>();

    /** Not used if it reads on a safe snapshot. */
    private final Set<MemoryRow> reads = new HashSet<>();

    private final Set<Range> scanned = new HashSet<>();

    /** What it reads at is no earlier; known before its timestamp is. */
    private final long oldest;

    /** Null if it only reads. */
    final TransactionHandle handle;

    private boolean isEnded;
    private long decided;

    MemoryTransaction(Options options) throws IOException {
      if (options.isolation() == Isolation.READ_COMMITTED) {
        throw new IllegalArgumentException("ReTSO has no isolation " + options.isolation());
      }
      readOnly = options.readOnly();
      serializable = options.isolation() == Isolation.SERIALIZABLE;
      boolean onSafe = readOnly && serializable;
      if (onSafe) {
        safeAsked = System.nanoTime();
      }
      AtomicLong from = onSafe ? safe : given;
      oldest = from.get();
      open.add(this);
      try {
        handle = readOnly ? null : oracle.begin();
        timestamp =
            onSafe
                ? safeSnapshot(options.deferred() ? oracle.timestamp() : 0)
                : readOnly ? oracle.timestamp() : handle.startTimestamp();
      } catch (OracleException e) {
        open.remove(this);
        throw new IOException(e);
      }
      from.accumulateAndGet(timestamp, Math::max);
    }

    @Override
    byte[] read(Row name) throws IOException {
      MemoryRow row = row(name); // with an id, even if there is nothing to read
      if (serializable && !readOnly) {
        reads.add(row);
      }
      return at(row);
    }

    /** What a row has for it. */
    byte[] at(MemoryRow row) throws IOException {
      return row.complete(row.at(timestamp), timestamp);
    }

    @Override
    public byte[] lock(Row row) throws IOException {
      locked.add(row(row));
      return get(row);
    }

    @Override
    public byte[] validate(Row row) throws IOException {
      validated.add(row(row));
      return get(row);
    }

    /** Own writes are not looked for. */
    @Override
    public void scan(Range range, int limit, BiConsumer<String, byte[]> each) throws IOException {
      String last = "";
      int left = limit;
      for (Map.Entry<String, MemoryRow> row : rows(range).entrySet()) {
        byte[] value = at(row.getValue());
        if (value != null) {
          last = row.getKey();
          left--;
          each.accept(last, value);
        }
        if (left == 0) {
          break;
        }
      }
      scanned.add(left == 0 ? range.upTo(last) : range);
    }

    @Override
    public void commit() throws IOException {
      if (readOnly) {
        end();
        return;
      }
      Decision decision = new Decision(timestamp);
      Set<MemoryRow> rows = add(() -> decision);
      try {
        CommitResult result = outcome(decision, request(rows));
        decision.decide(result.isCommitted() ? result.commitTimestamp() : Decision.ABORTED);
        if (!result.isCommitted()) {
          throw new RefusedException(reason(result), null);
        }
      } finally {
        decision.decide(Decision.ABORTED); // without effect if it is decided, or lost
        oracle.cleanedUpLater(handle);
        end();
      }
      rows.stream().filter(MemoryRow::hasMany).forEach(row -> row.prune(oldestReader()));
    }

    /** Adds what it writes to its rows; returns all that it wrote or locked. */
    Set<MemoryRow> add(Supplier<Decision> writer) {
      writes.forEach(
          (name, value) -> {
            MemoryRow row = row(name);
            row.add(writer.get(), value);
            locked.add(row);
          });
      return locked;
    }

    /** Asks once more if the answer is lost; readers of its rows fail if that does not help. */
    private CommitResult outcome(Decision decision, CommitRequest request) throws IOException {
      try {
        return oracle.commitAsync(request).thenApply(this::learned).join();
      } catch (CompletionException e) {
        if (!(e.getCause() instanceof io.retso.client.UnknownOutcomeException)) {
          throw new IOException(e.getCause());
        }
      }
      try {
        return learned(oracle.abort(handle));
      } catch (OracleException e) {
        decision.lose(e);
        throw new UnknownOutcomeException(e);
      }
    }

    /** On the one thread of the client, so in the order in which the oracle decided. */
    CommitResult learned(CommitResult result) {
      decided = System.nanoTime();
      return result;
    }

    @Override
    public long decidedNanos() {
      return readOnly ? System.nanoTime() : decided;
    }

    CommitRequest request(Set<MemoryRow> written) {
      CommitRequest request = CommitRequest.of(handle).withWrites(ids(written));
      if (!validated.isEmpty()) {
        request = request.withValidated(ids(validated));
      }
      if (serializable) {
        reads.removeAll(written);
        request =
            request
                .serializable()
                .withReads(ids(reads))
                .withRangeReads(scanned.stream().mapToLong(Ids::ofRange).distinct().toArray())
                .withRangeWrites(rangeWrites());
      }
      return request;
    }

    /** Granules of all scans that would find what it writes. */
    long[] rangeWrites() {
      return writes.keySet().stream().flatMapToLong(Ids::granules).distinct().toArray();
    }

    void end() {
      isEnded = true;
      open.remove(this);
    }

    @Override
    public void close() {
      if (!isEnded) {
        end();
        if (!readOnly) {
          oracle.endLater(handle);
        }
      }
    }
  }

  private static long[] ids(Set<MemoryRow> rows) {
    return rows.stream().mapToLong(row -> row.id).toArray();
  }

  static Reason reason(CommitResult result) {
    return switch (result.abortReason()) {
      case CONFLICT -> Reason.CONFLICT;
      case PIVOT -> Reason.PIVOT;
      case READ_ONLY -> Reason.READ_ONLY;
      case UNKNOWN_SUCCESSOR -> Reason.UNKNOWN_SUCCESSOR;
      case TOO_OLD -> Reason.TOO_OLD;
      case EARLIER -> Reason.ABORTED;
    };
  }
}
