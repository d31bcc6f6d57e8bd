package io.retso.hbase.transaction;

import io.retso.client.TransactionHandle;
import io.retso.hbase.TransactionOptions;
import io.retso.hbase.failures.Failures;
import io.retso.hbase.metrics.Timings;
import io.retso.hbase.read.ReadSet;
import io.retso.hbase.read.Snapshot;
import io.retso.hbase.recording.TransactionRecord;
import io.retso.hbase.trace.TransactionTrace;
import io.retso.hbase.write.WriteBuffer;
import java.util.concurrent.CompletableFuture;

/**
 * What a transaction has from its begin to its end.
 *
 * @param handle what the oracle knows it by; null if it has no start timestamp of its own
 * @param isReadOnly whether it must not write
 * @param snapshot what it reads
 * @param writes takes what it writes; nothing if it is read-only
 * @param reads takes what it reads, if that is to be certified
 * @param endWithoutWrites reports its end to the oracle, or to the owner of the snapshot that it
 *     shares
 * @param timings takes where its time goes
 * @param trace the span that it is below
 * @param recorded takes what it does, for a file; null if it is not recorded
 */
record Begun(
    TransactionOptions options,
    TransactionHandle handle,
    boolean isReadOnly,
    Snapshot snapshot,
    WriteBuffer writes,
    ReadSet reads,
    Runnable endWithoutWrites,
    Timings timings,
    TransactionTrace trace,
    TransactionRecord recorded) {
  /** Its start timestamp, the version of what it writes; 0 if it has none of its own. */
  long start() {
    return start(handle);
  }

  /** The start timestamp of a handle; 0 if that is null. */
  static long start(TransactionHandle handle) {
    return handle == null ? 0 : handle.startTimestamp();
  }

  /** How messages speak of it. */
  String label() {
    long known = snapshot.timestampNow();
    return known == 0 ? "this transaction" : "transaction " + known; // 0: it was not asked for
  }

  /** A failure says in which transaction. */
  <T> CompletableFuture<T> named(CompletableFuture<T> future) {
    return options.name().isEmpty()
        ? future
        : future.whenComplete((answer, failure) -> named(failure));
  }

  <F extends Throwable> F named(F failure) {
    return Failures.name(failure, options.name());
  }
}
