package io.retso.hbase;

import io.retso.hbase.errors.AbortedException;
import io.retso.hbase.errors.ConflictException;
import io.retso.hbase.errors.OracleUnavailableException;
import io.retso.hbase.errors.RollbackOnlyException;
import io.retso.hbase.errors.SerializationException;
import io.retso.hbase.errors.SnapshotTooOldException;
import io.retso.hbase.errors.UnknownCommitException;
import java.io.IOException;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.hbase.TableName;
import org.apache.yetus.audience.InterfaceAudience;

/**
 * A transaction: it reads what was committed before it began, and its own writes; it commits if no
 * other transaction has committed one of the rows (or cells) that it wrote since it began. If it is
 * serializable ({@link TransactionOptions#withIsolation}), what others did to what it has read must
 * allow it, too.
 *
 * <pre>{@code
 * try (Transaction tx = manager.begin()) {
 *   TransactionalTable accounts = tx.table("accounts");
 *   ...
 *   tx.commit();
 * } // rolled back if it was not committed
 * }</pre>
 *
 * <p><strong>Threads.</strong> As a {@link ReadTransaction}. Asynchronous writes take effect in the
 * order in which they were called, and a read sees the writes that were called before it. A commit
 * does not wait for them: it is refused while their futures are outstanding. It waits for what the
 * application cannot wait for: what goes on after a blocking method was interrupted, and scanners
 * that were closed, or left, while they were being opened.
 *
 * @since 0.1
 */
@InterfaceAudience.Public
public interface Transaction extends ReadTransaction {
  /** Actions that a transaction may have, those after its commit and after a rollback together. */
  int ACTIONS_MAX = 1000;

  /** Where a transaction stands. */
  enum State {
    /** It can read, write and commit. */
    ACTIVE,
    /** A write failed; it can only be rolled back. */
    ROLLBACK_ONLY,
    /** Its commit is on the way. */
    COMMITTING,
    /** Committed. */
    COMMITTED,
    /** Rolled back, or aborted by the oracle. */
    ROLLED_BACK,
    /** The answer to its commit was lost. */
    UNKNOWN
  }

  /** The start timestamp, known from its begin. It is that of its snapshot, too. */
  long startTimestamp();

  /**
   * What another process needs to end this transaction, or to learn its outcome with {@link
   * TransactionManager#resolve}: its start timestamp and the oracle's proof that this client began
   * it. Keep it where only those read it that may do so.
   */
  String handle();

  /** Where it stands. */
  State state();

  @Override
  TransactionalTable table(TableName name) throws IOException;

  @Override
  TransactionalTable table(String name) throws IOException;

  @Override
  CompletableFuture<AsyncTransactionalTable> asyncTable(TableName name);

  @Override
  CompletableFuture<AsyncTransactionalTable> asyncTable(String name);

  /**
   * Commits: all writes together become visible to transactions that begin from now on.
   *
   * <p>One that wrote nothing has nothing to commit. If it is serializable, what it has read is
   * certified all the same, and counts only if this method returns.
   *
   * @return the commit timestamp; empty if it wrote nothing
   * @throws ConflictException if another transaction got ahead; nothing is committed
   * @throws SerializationException if it is serializable, and concurrent transactions leave no
   *     place for it in any order; nothing is committed
   * @throws SnapshotTooOldException if it took too long; nothing is committed
   * @throws RollbackOnlyException if a write failed; nothing is committed
   * @throws AbortedException if another client aborted it, or its refusal was lost on the way;
   *     nothing is committed
   * @throws UnknownCommitException if it may or may not be committed
   * @throws OracleUnavailableException if the oracle could not be asked, or no answer came to what
   *     a transaction has read that wrote nothing; nothing is committed
   * @throws IllegalStateException if it has ended, or futures of its operations are outstanding
   */
  OptionalLong commit() throws IOException;

  /**
   * Like {@link #commit}; refusals are thrown at once, everything else fails the future. {@link
   * TransactionManager} says on which threads that completes, and what may be done there.
   */
  CompletableFuture<OptionalLong> commitAsync();

  /**
   * Runs an action once it is committed: {@link #commit} returns, and the future of {@link
   * #commitAsync} completes, after that. Not if it is rolled back, nor if its outcome is unknown.
   * In {@link TransactionManager#run run} and its like it belongs to the attempt that has asked for
   * it, so a refused attempt leaves nothing to be sent or forgotten.
   *
   * <p>Actions of a transaction run in the order in which they were asked for. They are callbacks
   * ({@link TransactionManager} has the threads): they must not block. What one throws is logged,
   * and changes nothing: the transaction is committed.
   *
   * @throws IllegalStateException if the transaction has ended, or has {@value #ACTIONS_MAX}
   *     actions
   */
  void afterCommit(Runnable action);

  /**
   * Runs an action once it is rolled back, by the application, by the oracle or for its age; like
   * {@link #afterCommit} otherwise.
   *
   * @throws IllegalStateException if the transaction has ended, or has {@value #ACTIONS_MAX}
   *     actions
   */
  void afterRollback(Runnable action);

  /**
   * Rolls back: none of its writes is ever visible. They are removed behind the reply. Does nothing
   * if it was rolled back already.
   *
   * @throws IllegalStateException if it is committed, or is being committed
   */
  void rollback() throws IOException;

  /** Like {@link #rollback}. Operations that are outstanding may fail. Completes at once. */
  CompletableFuture<Void> rollbackAsync();
}
