package io.retso.hbase;

import io.retso.client.Extension;
import io.retso.client.OracleClient;
import io.retso.hbase.SharedSnapshots.Lease;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/**
 * What a transaction reads: everything that was committed below a timestamp.
 *
 * <p>Transactions that write, and those content with a shared snapshot, have theirs from the
 * beginning ({@link #at}). That of others is taken by their first read ({@link #fresh}), in a round
 * trip to the oracle that goes on <em>beside</em> the read and not before it: the rows are read at
 * an older timestamp S that the manager has at hand, while the oracle issues a timestamp L and says
 * whether any of the rows was committed between the two. If none was, what was read at S is what a
 * read at L would have found; otherwise they are read again, at L. ("Snapshot extension": Riegel,
 * Felber, Fetzer, A Lazy Snapshot Algorithm with Eager Validation, DISC 2006.)
 *
 * <p><strong>Safety.</strong> L is issued after the read was called, so the snapshot is as fresh as
 * one that begins with a round trip. "Not committed between" is said by whoever issued L, of all
 * commits below L: see the oracle's side. The rows that are named are all that the read can look
 * at. And S is held open by a lease until the transaction ends, so the low watermark stays below S,
 * hence below L, and no region purges what the snapshot contains.
 *
 * <p>Thread-safe.
 */
final class Snapshot {
  private static final long[] NO_ROWS = {};

  private final SharedSnapshots shared;
  private final OracleClient oracle;
  private final Counters counters;

  /** The timestamp, or the way to it; null before the first read. Guarded by this. */
  private CompletableFuture<Long> timestamp;

  /** Not null while a shared snapshot is used. Guarded by this. */
  private Lease lease;

  private boolean released;

  private Snapshot(
      CompletableFuture<Long> timestamp,
      SharedSnapshots shared,
      OracleClient oracle,
      Counters counters) {
    this.timestamp = timestamp;
    this.shared = shared;
    this.oracle = oracle;
    this.counters = counters;
  }

  /** The snapshot with that timestamp. */
  static Snapshot at(long timestamp) {
    return new Snapshot(CompletableFuture.completedFuture(timestamp), null, null, null);
  }

  /** A snapshot that the first read takes. To be released. */
  static Snapshot fresh(SharedSnapshots shared, OracleClient oracle, Counters counters) {
    return new Snapshot(null, shared, oracle, counters);
  }

  /** The timestamp if it is there, otherwise 0. Does not ask for it. */
  synchronized long timestampNow() {
    return timestamp == null || timestamp.isCompletedExceptionally() ? 0 : timestamp.getNow(0L);
  }

  /** The timestamp; taken now if it was not before. Fails as the oracle does. */
  CompletableFuture<Long> timestamp() {
    return read(() -> null, CompletableFuture::completedFuture);
  }

  /**
   * Reads in the snapshot.
   *
   * @param ids the conflict ids of everything that the read can look at; null if they cannot be
   *     named. Asked for if need be
   * @param read reads at a timestamp; may be called a second time, with another one
   */
  <T> CompletableFuture<T> read(Supplier<long[]> ids, LongFunction<CompletableFuture<T>> read) {
    CompletableFuture<Long> taken = new CompletableFuture<>();
    long older;
    synchronized (this) {
      if (timestamp != null) {
        return timestamp.thenCompose(read::apply);
      }
      timestamp = taken;
      lease = lease == null ? shared.settled() : lease;
      older = lease == null ? 0 : lease.start();
    }
    try {
      return first(taken, older, ids, read);
    } catch (RuntimeException | Error e) { // of the read, which was not sent
      failed(taken, e);
      throw e;
    }
  }

  private <T> CompletableFuture<T> first(
      CompletableFuture<Long> taken,
      long older,
      Supplier<long[]> ids,
      LongFunction<CompletableFuture<T>> read) {
    if (older == 0) {
      return take(taken, shared.acquire(), this::keep).thenCompose(now -> read.apply(now.start()));
    }
    long[] named = ids.get();
    CompletableFuture<T> early = named == null ? null : read.apply(older);
    return take(
            taken, oracle.extendAsync(older, named == null ? NO_ROWS : named), Extension::timestamp)
        .thenCompose(extension -> extended(extension, early, read));
  }

  /** The next read tries again. */
  private void failed(CompletableFuture<Long> taken, Throwable cause) {
    synchronized (this) {
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

  private <T> CompletableFuture<T> extended(
      Extension extension, CompletableFuture<T> early, LongFunction<CompletableFuture<T>> read) {
    if (early == null) {
      return read.apply(extension.timestamp());
    }
    if (!extension.isUnchanged()) {
      counters.changedSnapshots.increment();
      return read.apply(extension.timestamp());
    }
    counters.extendedSnapshots.increment();
    return early.exceptionallyCompose(
        failure ->
            Failures.unwrap(failure) instanceof SnapshotTooOldException
                ? read.apply(extension.timestamp()) // only S was too old
                : Failures.failed(Failures.unwrap(failure)));
  }

  private <A> CompletableFuture<A> take(
      CompletableFuture<Long> taken, CompletableFuture<A> asked, ToLongFunction<A> timestampOf) {
    return asked
        .handle(
            (answer, failure) -> {
              if (failure == null) {
                taken.complete(timestampOf.applyAsLong(answer));
                return CompletableFuture.completedFuture(answer);
              }
              Throwable cause = Failures.ofOracle(failure, "taking the snapshot of a transaction");
              failed(taken, cause);
              return Failures.<A>failed(cause);
            })
        .thenCompose(outcome -> outcome);
  }

  /** The transaction has ended, and nothing of it is under way. */
  synchronized void release() {
    released = true;
    if (lease != null) {
      lease.snapshot().release();
      lease = null;
    }
  }
}
