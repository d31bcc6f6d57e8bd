package io.retso.hbase.read;

import io.retso.client.OracleClient;
import io.retso.hbase.errors.SnapshotTooOldException;
import io.retso.hbase.failures.Failures;
import io.retso.hbase.futures.Futures;
import io.retso.hbase.metrics.Counters;
import io.retso.hbase.read.SharedSnapshots.Lease;
import io.retso.hbase.trace.TraceContext;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;

/**
 * What a transaction reads: everything that was committed below a timestamp.
 *
 * <p>Transactions that write have theirs from the beginning ({@link #at}). Others ({@link #fresh})
 * begin to read without one, at an older timestamp S that the manager has at hand, and mostly never
 * need another:
 *
 * <pre>
 *   UNPINNED  reads go to S, and regions say whether what they look at is still as it was at S.
 *      |      If so, it is current: that was the answer, and the oracle is not asked
 *      |
 *      |      something has changed; or regions cannot say; or the timestamp is wanted
 *      v
 *   PINNED    the timestamp is L, which the oracle issues now; or, if what was read before has
 *             changed between S and L, C, that of the first commit that changed it: regions find it
 * </pre>
 *
 * <p><strong>Safety, unpinned.</strong> Let t be the moment of the first read in its region, later
 * than the transaction's begin. A commit that was decided before t had all its cells in HBase by
 * then, since writes are acknowledged before the commit is asked for. So no row that is found
 * current, at t or later, was changed by a commit from S up to t: all that was read is the snapshot
 * of the moment t, and that is as fresh as one that begins with a question to the oracle.
 *
 * <p><strong>Safety, pinned.</strong> At L: the versions of the rows say that nothing of what was
 * read was committed from S up to L, so it is as it was read (a lazy snapshot: Riegel, Felber,
 * Fetzer, A Lazy Snapshot Algorithm with Eager Validation, DISC 2006). Regions are asked after L
 * was issued, and what is not decided then commits above it. At C, the first commit that changed
 * something that was read: up to it nothing was. It was decided after t, as its cells were not
 * there when they were looked for; so everything that was committed before t is below it.
 *
 * <p>S is held open by a lease until the transaction ends, so the low watermark stays below S,
 * hence below L and C, and no region purges what the snapshot contains.
 *
 * <p>Serializable transactions that only read have a safe one ({@link #safe}): they are never
 * unpinned, as what is current at the moment of a read is not safe.
 *
 * <p>Thread-safe.
 */
public final class Snapshot {
  /** Gets of one transaction unpinned, which are remembered; the next ones pin it. */
  public static final int UNPINNED_MAX = 1000;

  /** Asks for the safe timestamp; null in other snapshots. */
  private final Supplier<CompletableFuture<Long>> safe;

  private final SharedSnapshots shared;
  private final OracleClient oracle;
  private final Counters counters;

  /** The timestamp, or the way to it; null while it is unpinned. Guarded by this. */
  private CompletableFuture<Long> timestamp;

  /** Not null while a shared snapshot is used. Guarded by this. */
  private Lease lease;

  /** What was read unpinned of a table. */
  private record Seen(RegionTableReader reader, List<Get> gets) {}

  /**
   * What was read unpinned; stays as it is once there is a way to the timestamp. Guarded by this.
   */
  private final Map<TableName, Seen> seen = new LinkedHashMap<>();

  /** Gets that were read unpinned, or are being. Guarded by this. */
  private int unpinned;

  private boolean released;

  private Snapshot(
      CompletableFuture<Long> timestamp,
      Supplier<CompletableFuture<Long>> safe,
      SharedSnapshots shared,
      OracleClient oracle,
      Counters counters) {
    this.timestamp = timestamp;
    this.safe = safe;
    this.shared = shared;
    this.oracle = oracle;
    this.counters = counters;
  }

  /** The snapshot with that timestamp. */
  public static Snapshot at(long timestamp) {
    return new Snapshot(CompletableFuture.completedFuture(timestamp), null, null, null, null);
  }

  /**
   * A safe snapshot.
   *
   * @param safe is asked for its timestamp when that is needed; until it has answered one
   */
  public static Snapshot safe(Supplier<CompletableFuture<Long>> safe) {
    return new Snapshot(null, safe, null, null, null);
  }

  /** The snapshot of the moment of its first read. To be released. */
  public static Snapshot fresh(SharedSnapshots shared, OracleClient oracle, Counters counters) {
    return new Snapshot(null, null, shared, oracle, counters);
  }

  /** The timestamp if it is there, otherwise 0. Does not ask for it. */
  public synchronized long timestampNow() {
    return timestamp == null || timestamp.isCompletedExceptionally() ? 0 : timestamp.getNow(0L);
  }

  /**
   * Reads rows in the snapshot; the answers are in the order of the gets.
   *
   * @param gets checked, and not changed as long as they are carried out
   */
  public CompletableFuture<List<Result>> read(TableReader reader, List<Get> gets) {
    long older = reader instanceof RegionTableReader ? startOfUnpinnedRead(gets) : 0;
    if (older == 0) {
      return pinned(reader, gets);
    }
    RegionTableReader regions = (RegionTableReader) reader;
    return Futures.compose(
        regions.ifCurrent(gets, older),
        (found, failure) -> {
          if (failure != null && !(failure instanceof SnapshotTooOldException)) {
            throw failure;
          }
          if (failure == null && found.isPresent() && keep(regions, gets)) {
            counters.currentReads.increment();
            return CompletableFuture.completedFuture(found.get());
          }
          counters.changedSnapshots.increment();
          // If it was too old, then only S was.
          return pinned(reader, gets);
        });
  }

  /** Whichever call asks for the timestamp, each reads for itself. */
  private CompletableFuture<List<Result>> pinned(TableReader reader, List<Get> gets) {
    return TraceContext.keep(timestamp()).thenCompose(pinned -> reader.getAll(gets, pinned));
  }

  /** The older timestamp S if regions may be asked to read these rows unpinned, otherwise 0. */
  private synchronized long startOfUnpinnedRead(List<Get> gets) {
    if (timestamp != null
        || safe != null
        || gets.stream().anyMatch(Get::isCheckExistenceOnly)
        || unpinned + gets.size() > UNPINNED_MAX
        || !isLeased()) {
      return 0;
    }
    unpinned += gets.size();
    return lease.start();
  }

  private synchronized boolean isLeased() {
    lease = lease == null && !released ? shared.recent() : lease;
    return lease != null;
  }

  /** Remembers what was read; false if it is not unpinned any more: then that does not count. */
  private synchronized boolean keep(RegionTableReader reader, List<Get> gets) {
    if (timestamp != null) {
      return false;
    }
    Seen ofTable =
        seen.computeIfAbsent(
            reader.table().name(), name -> new Seen(reader, new ArrayList<>(gets.size())));
    gets.forEach(get -> ofTable.gets.add(copy(get)));
    return true;
  }

  /**
   * What a get looks at, to be kept: it shares its arrays with the application, which may use them
   * for something else once it is answered. Without the filter, of which nothing depends.
   */
  private static Get copy(Get get) {
    Get copy = new Get(get.getRow().clone());
    get.getFamilyMap()
        .forEach(
            (family, columns) -> {
              byte[] name = family.clone();
              if (columns == null) {
                copy.addFamily(name);
              } else {
                columns.forEach(column -> copy.addColumn(name, column.clone()));
              }
            });
    return copy;
  }

  /** The timestamp; pins the snapshot if it is unpinned. Fails as the oracle and HBase do. */
  public CompletableFuture<Long> timestamp() {
    CompletableFuture<Long> taken = new CompletableFuture<>();
    long older;
    List<Seen> reads;
    synchronized (this) {
      if (timestamp != null) {
        return timestamp;
      }
      timestamp = taken;
      older = safe == null && isLeased() ? lease.start() : 0;
      reads = List.copyOf(seen.values());
    }
    // Whatever fails, and be it the request itself, the next one who asks is to try again.
    CompletableFuture.completedFuture(older)
        .thenCompose(from -> from == 0 ? newest() : newestSince(from, reads))
        .whenComplete(
            (pinned, failure) -> {
              if (failure == null) {
                taken.complete(pinned);
              } else {
                unpin(taken, Futures.unwrap(failure));
              }
            });
    return taken;
  }

  /** Without an older snapshot nothing was read. */
  private CompletableFuture<Long> newest() {
    return safe != null ? ofOracle(safe.get()) : ofOracle(shared.acquire()).thenApply(this::keep);
  }

  /** Or the first change since the older one. One request per table and region server. */
  private CompletableFuture<Long> newestSince(long older, List<Seen> reads) {
    return ofOracle(oracle.timestampAsync())
        .thenCompose(
            now -> {
              CompletableFuture<Long> first = CompletableFuture.completedFuture(now);
              for (Seen of : reads) {
                first = first.thenCombine(of.reader.firstChange(of.gets, older, now), Math::min);
              }
              return first;
            });
  }

  private static <A> CompletableFuture<A> ofOracle(CompletableFuture<A> asked) {
    return Futures.explained(
        TraceContext.keep(asked),
        failure -> Failures.ofOracle(failure, "taking the snapshot of a transaction"));
  }

  /** The next one who needs the timestamp tries again. */
  private void unpin(CompletableFuture<Long> taken, Throwable cause) {
    synchronized (this) {
      assert timestamp == taken;
      timestamp = null;
    }
    taken.completeExceptionally(cause);
  }

  private synchronized long keep(Lease now) {
    if (released) {
      now.snapshot().release();
    } else {
      lease = now;
    }
    return now.start();
  }

  /** The transaction has ended, and nothing of it is under way. */
  public synchronized void release() {
    released = true;
    if (timestamp == null && !seen.isEmpty()) {
      timestamp = CompletableFuture.completedFuture(lease.start()); // for later questions
    }
    seen.clear();
    if (lease != null) {
      lease.snapshot().release();
      lease = null;
    }
  }
}
