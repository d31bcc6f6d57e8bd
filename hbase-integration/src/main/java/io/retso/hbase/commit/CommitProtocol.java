package io.retso.hbase.commit;

import io.retso.client.CommitRequest;
import io.retso.client.CommitResult;
import io.retso.client.CommitSteps;
import io.retso.client.Conflict;
import io.retso.client.OracleClient;
import io.retso.client.OracleException;
import io.retso.client.TransactionHandle;
import io.retso.hbase.cleanup.Cleaner;
import io.retso.hbase.cleanup.CleanupJob;
import io.retso.hbase.errors.ConflictingChange;
import io.retso.hbase.errors.RollbackOnlyException;
import io.retso.hbase.errors.TransactionException;
import io.retso.hbase.errors.UnknownCommitException;
import io.retso.hbase.errors.WriteSetTooLargeException;
import io.retso.hbase.failures.Failures;
import io.retso.hbase.futures.Futures;
import io.retso.hbase.metrics.Counters;
import io.retso.hbase.metrics.Timings;
import io.retso.hbase.metrics.Timings.Step;
import io.retso.hbase.read.ReadSet;
import io.retso.hbase.table.IdSet;
import io.retso.hbase.trace.TraceContext;
import io.retso.hbase.write.WriteBuffer;
import io.retso.protocol.Limits;
import io.retso.text.Text;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.apache.hadoop.hbase.TableName;

/**
 * How a transaction ends of which the oracle must know: its writes are sent, the oracle decides,
 * and the cleanup takes over what was written (section 2.2 of the paper). One that wrote nothing
 * comes here if what it has read is to be certified, or validated. Thread-safe.
 */
public final class CommitProtocol {
  /** What became of a transaction. */
  public enum Decision {
    /** Its writes are visible to transactions that begin from now on. */
    COMMITTED,
    /** None of its writes is ever visible. */
    ROLLED_BACK,
    /** It may or may not be committed: the answer was lost. */
    UNKNOWN
  }

  /**
   * A transaction that ends.
   *
   * @param name what the application calls it; may be empty
   * @param handle what the oracle knows it by
   * @param writes all of them; nothing is added any more
   * @param reads the same of what is to be certified
   * @param timings takes how long the decision takes
   * @param steps takes how long its steps took in the oracle's server, if that says it; null if it
   *     is not to be asked
   */
  public record Writer(
      String name,
      TransactionHandle handle,
      WriteBuffer writes,
      ReadSet reads,
      Timings timings,
      Consumer<CommitSteps> steps) {
    long start() {
      return handle.startTimestamp();
    }

    /** What it met if it was refused; null if that is not known. */
    ConflictingChange met(CommitResult refused) {
      return refused
          .conflict()
          .flatMap(
              conflict ->
                  find(conflict.changed())
                      .map(
                          changed ->
                              new ConflictingChange(
                                  changed,
                                  conflict.changed().id(),
                                  conflict.commitTimestamp(),
                                  conflict.read().flatMap(this::find))))
          .orElse(null);
    }

    private Optional<ConflictingChange.Place> find(Conflict.Id id) {
      return switch (id.kind()) {
        case WRITE, VALIDATED -> writes.find(id.id());
        case READ, RANGE_READ -> reads.find(id.id());
        case RANGE_WRITE -> writes.findInGranule(id.id());
      };
    }

    /**
     * Its cleanup.
     *
     * @param decided null if that is not known
     */
    CleanupJob cleanup(CommitResult decided) {
      return new CleanupJob(name, handle, decided, writes.sentRows());
    }
  }

  private final OracleClient oracle;
  private final Cleaner cleaner;
  private final Counters counters;

  public CommitProtocol(OracleClient oracle, Cleaner cleaner, Counters counters) {
    this.oracle = oracle;
    this.cleaner = cleaner;
    this.counters = counters;
  }

  /**
   * Commits a transaction.
   *
   * @param decided is called once, before the future completes
   * @return the commit timestamp, when there is room for the cleanup; fails if it is not committed,
   *     or that is not known
   */
  public CompletableFuture<Long> commit(Writer writer, Consumer<Decision> decided) {
    return Futures.compose(
        TraceContext.keep(writer.writes.sendAll()),
        (sent, failure) -> {
          CommitRequest request;
          try {
            request = request(writer, failure);
          } catch (TransactionException e) {
            decided.accept(Decision.ROLLED_BACK);
            rollBack(writer);
            throw e;
          }
          return Futures.compose(
              TraceContext.keep(writer.timings.of(Step.COMMIT, () -> oracle.commitAsync(request))),
              (result, unanswered) -> {
                if (unanswered != null) {
                  throw notAnswered(writer, unanswered, decided);
                }
                result.steps().ifPresent(writer.steps);
                return answered(writer, result, decided);
              });
        });
  }

  /**
   * What is asked of the oracle.
   *
   * @param failure of a write; null if all are acknowledged: a reader above the commit timestamp
   *     finds all of them
   */
  private static CommitRequest request(Writer writer, Throwable failure)
      throws TransactionException {
    long start = writer.start();
    if (failure != null) {
      throw new RollbackOnlyException(start, Failures.ofStore(failure, start));
    }
    TableName outdated = writer.writes.outdatedTable();
    if (outdated != null) {
      throw Failures.tableChanged(start, "table " + outdated, null);
    }
    return request(writer);
  }

  /**
   * The request of a transaction whose writes are all acknowledged.
   *
   * <p>Reads and granules are made coarser where the ids would be too many.
   *
   * @throws WriteSetTooLargeException if they are too many all the same
   */
  private static CommitRequest request(Writer writer) throws WriteSetTooLargeException {
    WriteBuffer writes = writer.writes;
    ReadSet reads = writer.reads;
    IdSet written = writes.written();
    CommitRequest request =
        CommitRequest.of(writer.handle)
            .withWrites(written.toArray())
            .withValidated(writes.validated());
    long[] granules =
        writes.granules(
            reads.isTracked(), room(request) - (reads.isTracked() ? ReadSet.IDS_MAX : 0));
    request = request.withRangeWrites(granules);
    if (reads.isTracked()) {
      ReadSet.Ids ids = reads.ids(written, room(request));
      request = request.withReads(ids.ids()).withRangeReads(ids.ranges()).serializable();
    }
    if (room(request) < 0) {
      throw new WriteSetTooLargeException(
          Text.of(
              "transaction %s names %s rows and granules to the oracle, the limit is %s: split it",
              writer.start(), request.ids(), Limits.TRANSACTION_IDS_MAX),
          null);
    }
    return writer.steps == null ? request : request.withSteps();
  }

  private static long room(CommitRequest request) {
    return Limits.TRANSACTION_IDS_MAX - request.ids();
  }

  private CompletableFuture<Long> answered(
      Writer writer, CommitResult result, Consumer<Decision> decided) {
    if (result.isCommitted()) {
      long commit = result.commitTimestamp();
      decided.accept(Decision.COMMITTED);
      counters.committed.increment();
      if (writer.writes.isEmpty()) {
        return CompletableFuture.completedFuture(commit); // nothing to clean up, or to report
      }
      return cleaner.offer(writer.cleanup(result)).thenApply(admitted -> commit);
    }
    decided.accept(Decision.ROLLED_BACK);
    counterOf(result.abortReason()).increment();
    TransactionException refusal =
        Failures.ofAbort(writer.start(), result.abortReason(), writer.met(result));
    if (writer.writes.isEmpty()) {
      return Futures.failed(refusal);
    }
    return cleaner.offer(writer.cleanup(result)).thenCompose(admitted -> Futures.failed(refusal));
  }

  private LongAdder counterOf(CommitResult.AbortReason reason) {
    return switch (reason) {
      case CONFLICT -> counters.conflicts;
      case TOO_OLD -> counters.tooOld;
      case EARLIER -> counters.abortedEarlier;
      case PIVOT -> counters.pivots;
      case READ_ONLY -> counters.readOnlyRefusals;
      case UNKNOWN_SUCCESSOR -> counters.unknownSuccessors;
    };
  }

  /**
   * The oracle's client repeats what may be repeated. If it gives up for any other reason than that
   * the outcome is unknown, the transaction is not committed, and no request to commit it is under
   * way.
   */
  private Throwable notAnswered(Writer writer, Throwable failure, Consumer<Decision> decided) {
    if (failure instanceof OracleException refused) {
      boolean isUnknown = refused.category() == OracleException.Category.UNKNOWN_OUTCOME;
      // Without writes it makes no difference whether it was decided: to repeat it applies nothing.
      if (!isUnknown || writer.writes.isEmpty()) {
        decided.accept(Decision.ROLLED_BACK);
        rollBack(writer);
        return isUnknown
            ? Failures.ofCertification(failure, writer.start())
            : Failures.ofOracle(failure, "the commit of transaction " + writer.start());
      }
    }
    counters.unknown.increment();
    decided.accept(Decision.UNKNOWN);
    abort(writer);
    return new UnknownCommitException(writer.handle, failure, this::resolve);
  }

  /**
   * Resolves an unknown outcome: the transaction is committed, or from now on never will be.
   *
   * @return its commit timestamp, empty if it is aborted; fails if the oracle does not answer, no
   *     longer remembers, or never issued that start timestamp
   */
  public CompletableFuture<OptionalLong> resolve(TransactionHandle handle) {
    return Futures.explained(
            oracle.abortAsync(handle),
            failure -> Failures.ofResolving(failure, handle, this::resolve))
        .thenApply(
            result ->
                result.isCommitted()
                    ? OptionalLong.of(result.commitTimestamp())
                    : OptionalLong.empty());
  }

  private void rollBack(Writer writer) {
    counters.rolledBack.increment();
    TraceContext.keep(writer.writes.acknowledged()).thenRun(() -> abort(writer));
  }

  /**
   * Aborts, or learns that it was committed, and cleans up; no caller waits for it. Nothing that
   * the transaction sent is on its way any more.
   */
  public void abort(Writer writer) {
    cleaner.offerOrDrop(writer.cleanup(null));
  }
}
