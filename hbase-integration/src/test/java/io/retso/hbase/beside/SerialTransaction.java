package io.retso.hbase.beside;

import io.retso.hbase.ReadTransaction;
import io.retso.hbase.RetryPolicy;
import io.retso.hbase.Transaction;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.TransactionOptions;
import io.retso.hbase.beside.SerialOrder.Committed;
import io.retso.hbase.errors.ConflictException;
import io.retso.hbase.errors.GaveUpException;
import io.retso.hbase.errors.SerializationException;
import io.retso.hbase.options.Isolation;
import io.retso.hbase.options.ReadSnapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.TableName;

/** A transaction that is carried out step by step, and what it has learnt. */
final class SerialTransaction {
  /** How it is begun. */
  enum Kind {
    WRITES,
    /** It might write, but does not. */
    WRITES_NOTHING,
    RECENT,
    DEFERRED,
    LATEST
  }

  private final Kind kind;
  private final List<SerialStep> steps = new ArrayList<>();
  private final List<String> outcomes = new ArrayList<>();
  private ReadTransaction tx;

  /** The end of the work in the latest snapshot; {@link #ended} is that of its transaction. */
  private final CompletableFuture<Void> done = new CompletableFuture<>();

  private CompletableFuture<Void> ended;

  private SerialTransaction(Kind kind) {
    this.kind = kind;
  }

  static SerialTransaction begin(Kind kind, TransactionManager manager, Isolation isolation)
      throws Exception {
    SerialTransaction begun = new SerialTransaction(kind);
    TransactionOptions options =
        TransactionOptions.DEFAULT.withIsolation(isolation).withRetryPolicy(RetryPolicy.NEVER);
    switch (kind) {
      case WRITES, WRITES_NOTHING -> begun.tx = manager.begin(options);
      case LATEST -> begun.readLatest(manager, options.withReadSnapshot(ReadSnapshot.LATEST));
      default ->
          begun.tx =
              manager.beginReadOnly(options.withReadSnapshot(ReadSnapshot.valueOf(kind.name())));
    }
    return begun;
  }

  private void readLatest(TransactionManager manager, TransactionOptions options) throws Exception {
    CompletableFuture<ReadTransaction> begun = new CompletableFuture<>();
    ended =
        manager.readAsync(
            options,
            reader -> {
              begun.complete(reader);
              return done;
            });
    ended.whenComplete((nothing, failure) -> begun.completeExceptionally(failure));
    tx = begun.get(AnyTable.SECONDS_MAX, TimeUnit.SECONDS);
  }

  Kind kind() {
    return kind;
  }

  ReadTransaction tx() {
    return tx;
  }

  /** Draws a step and carries it out; returns a text of both. */
  String step(long seed, TableName name) throws Exception {
    SerialStep step = new SerialStep(seed, kind != Kind.WRITES);
    String outcome = step.in(tx, name);
    steps.add(step);
    outcomes.add(outcome);
    return kind + " " + step + "\n    " + outcome;
  }

  /**
   * Ends it. One that wrote nothing has its place at the timestamp of its snapshot.
   *
   * @throws ConflictException or a {@link SerializationException} if it is refused
   */
  Committed commit() throws Exception {
    long start = tx.readTimestamp();
    long commit = start;
    if (tx instanceof Transaction writer) {
      commit = writer.commit().orElse(start);
    } else if (kind == Kind.LATEST) {
      done.complete(null);
      awaitEnd();
    } else {
      tx.close();
    }
    return new Committed(start, commit, steps, outcomes);
  }

  private void awaitEnd() throws Exception {
    try {
      ended.get(AnyTable.SECONDS_MAX, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof GaveUpException gaveUp
          && gaveUp.getCause() instanceof SerializationException refused) {
        throw refused;
      }
      throw e;
    }
  }
}
