package io.retso.client;

import io.retso.client.OracleException.Category;
import io.retso.protocol.Limits;
import io.retso.protocol.OracleIdentity;
import io.retso.protocol.Timestamps;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.yetus.audience.InterfaceAudience;

/**
 * A client of the status oracle.
 *
 * <pre>{@code
 * try (OracleClient oracle = OracleClient.builder().address("localhost:7521").build()) {
 *   TransactionHandle begun = oracle.begin();
 *   CommitResult result = oracle.commit(begun, RowId.of(table, row));
 *   if (result.isCommitted()) {
 *     // write result.commitTimestamp() beside the data, then:
 *     oracle.cleanedUp(begun);
 *   }
 * }
 * }</pre>
 *
 * <p><strong>Threads.</strong> All methods may be called by any number of threads; one client for
 * the whole process is best, since requests of all threads share frames. The client owns one daemon
 * thread, its event loop. Futures are completed on that thread: a dependent stage must not block
 * it, as the answers and deadlines of all futures depend on it, and a blocking method called from
 * it throws {@link IllegalStateException}. For anything long, use the {@code ...Async} methods of
 * {@link CompletableFuture} with an executor of your own.
 *
 * <p><strong>Order.</strong> Requests that are outstanding at the same time are in no order. What
 * must happen after another request is made after its answer came.
 *
 * <p><strong>Time-outs.</strong> Every request has a deadline, {@link
 * OracleClientBuilder#requestTimeout} after it is made; its future completes by then, or shortly
 * after (a twentieth of the time-out, at most 0.1 s). Blocking methods return a second after it
 * even if a dependent stage blocks the event loop. Until then a lost connection is replaced and the
 * request repeated; a repeated commit gets the original decision. Cancelling a future does not take
 * the request back.
 *
 * <p><strong>Errors.</strong> Futures fail with an {@link OracleException} (blocking methods throw
 * it) whose {@link OracleException#category()} says what to do. Arguments that cannot be right are
 * thrown at once: {@link NullPointerException} and {@link IllegalArgumentException}. Timestamps are
 * positive multiples of {@link Timestamps#GAP}, as {@link #begin()} and {@link #timestamp()} return
 * them.
 *
 * <p><strong>Whose transaction it is.</strong> Only a client that has the {@link TransactionHandle}
 * of a transaction can commit, abort or report it; for another, and for a handle that was made up,
 * that fails with {@link Category#NOT_PERMITTED}. The handle serves on all connections and in all
 * processes, across take-overs and restarts of the oracle.
 */
@InterfaceAudience.Public
public interface OracleClient extends AutoCloseable {
  /** Longest time for which what is in no hurry waits for other requests. */
  Duration LINGER = Duration.ofMillis(50);

  /** Begins to describe a client. */
  static OracleClientBuilder builder() {
    return new OracleClientBuilder();
  }

  /**
   * Begins a transaction: a fresh start timestamp, unique and above all that the oracle issued
   * before. It reads the snapshot of all transactions committed below it.
   */
  CompletableFuture<TransactionHandle> beginAsync();

  /** Like {@link #beginAsync()}, waiting for the answer. */
  TransactionHandle begin();

  /**
   * Asks to commit the transaction. The answer comes once the decision is durable.
   *
   * <p>A transaction is asked to commit once; what the oracle refuses for now is repeated by this
   * client. It fails with {@link UnknownOutcomeException} if the request may have reached the
   * oracle and the decision could not be learned, or if another request has committed it; with
   * {@link Category#OVERLOADED} if the oracle went on refusing it, nothing was decided, and it may
   * be asked again.
   *
   * @param transaction from {@link #begin()}
   * @param rowIds ids of the rows that it wrote, from {@link RowId}; 0 to {@link
   *     Limits#TRANSACTION_ROWS_MAX}, in any order. An array is not copied: leave it unchanged
   *     until the future completes
   */
  CompletableFuture<CommitResult> commitAsync(TransactionHandle transaction, long... rowIds);

  /**
   * Asks to commit a transaction and says what it read, too; otherwise like {@link
   * #commitAsync(TransactionHandle, long...)}, which a request with written rows only is.
   *
   * @throws IllegalArgumentException if it names more than {@link Limits#TRANSACTION_IDS_MAX} ids
   */
  CompletableFuture<CommitResult> commitAsync(CommitRequest request);

  /** Like {@link #commitAsync(CommitRequest)}, waiting for the answer. */
  CommitResult commit(CommitRequest request);

  /**
   * Reports that a transaction which wrote nothing is over, so that the oracle need not keep its
   * snapshot. No caller waits for that: the report travels with the next request that the oracle
   * writes to its log (or with 63 others of its kind), or by itself after {@link #LINGER}. If it is
   * lost, the oracle ends the transaction when its time is up.
   */
  CompletableFuture<CommitResult> endLater(TransactionHandle transaction);

  /** Like {@link #commitAsync}, waiting for the answer. */
  CommitResult commit(TransactionHandle transaction, long... rowIds);

  /**
   * Asks where the writer of a value stands that a reader found without a commit timestamp.
   *
   * @param writerStart start timestamp of the transaction that wrote the value
   * @param readerStart start timestamp of the transaction that reads it
   */
  CompletableFuture<TransactionStatus> statusAsync(long writerStart, long readerStart);

  /** Like {@link #statusAsync}, waiting for the answer. */
  TransactionStatus status(long writerStart, long readerStart);

  /**
   * A fresh timestamp that is no transaction: above all commits that were answered before this
   * call, and below all that are asked for after its answer. A reader who has an older snapshot
   * open may read at it, and ask for the status of writers with it. It cannot commit, needs no end,
   * and keeps no old version from being dropped. Several callers may get the same one.
   *
   * <p>The answer waits for no disk.
   */
  CompletableFuture<Long> timestampAsync();

  /** Like {@link #timestampAsync()}, waiting for the answer. */
  long timestamp();

  /**
   * The newest safe snapshot: a timestamp at which serializable readers may read without being
   * tracked or refused. It is no transaction: it cannot commit and needs no end. Several callers
   * get the same one, which may be some 10 ms old, so it may lack a commit that was answered before
   * this call. The oracle keeps the versions in it for a minute, or for the time limit of
   * transactions if that is shorter.
   *
   * <p>The answer waits for no disk.
   */
  CompletableFuture<Long> safeSnapshotAsync();

  /** Like {@link #safeSnapshotAsync()}, waiting for the answer. */
  long safeSnapshot();

  /**
   * Aborts the transaction unless it is decided already, and answers how it is decided: aborted, or
   * committed if this request came too late. This resolves an unknown outcome; it fails with {@link
   * UnknownOutcomeException} itself if the oracle no longer remembers. May be repeated.
   */
  CompletableFuture<CommitResult> abortAsync(TransactionHandle transaction);

  /** Like {@link #abortAsync}, waiting for the answer. */
  CommitResult abort(TransactionHandle transaction);

  /**
   * Reports that no cell of the decided transaction needs the oracle any more: each bears its
   * commit timestamp or, after an abort, was removed. The oracle then forgets the transaction; the
   * answer comes once that is durable. Many reports travel in one frame. May be repeated.
   */
  CompletableFuture<Void> cleanedUpAsync(TransactionHandle transaction);

  /** Like {@link #cleanedUpAsync}, in no hurry: see {@link #endLater}. */
  CompletableFuture<Void> cleanedUpLater(TransactionHandle transaction);

  /** Like {@link #cleanedUpAsync}, waiting for the answer. */
  void cleanedUp(TransactionHandle transaction);

  /**
   * The low watermark W, a timestamp: every transaction that started below W is decided, and every
   * committed one among them is cleaned up. So no transaction below W will ever commit, and no cell
   * of a committed one below W bears a pending mark: a mark below W belongs to an aborted
   * transaction, and of the versions that were committed below W all but the newest of a cell can
   * be dropped.
   *
   * <p>Answers to calls made one after the other never go down, not over a restart of the oracle
   * either. W may lag: a transaction that is open, reading ones included, holds it back until it
   * ends (commit it, with no rows if it wrote nothing) or until the oracle's transaction.timeout
   * aborts it; timestamps that a restart skipped hold it back for as long. The client of a
   * transaction that was aborted so may not know yet; what it reads from then on may lack versions,
   * and its commit is refused.
   */
  CompletableFuture<Long> lowWatermarkAsync();

  /** Like {@link #lowWatermarkAsync}, waiting for the answer. */
  long lowWatermark();

  /**
   * Asks for what checks receipts ({@link CommitResult#receipt}): a matter of region servers. It is
   * to be asked for again when a receipt is not known by it, as the servers' secret may be another
   * one by then; not more often than each few seconds.
   *
   * <p>Fails with {@link OracleException.Category#NOT_PERMITTED} unless the client has identified
   * itself and has role {@code region-server}.
   */
  CompletableFuture<Receipts> receiptsAsync();

  /**
   * Asks for a token by which a user can identify itself: a matter of region servers, which know
   * that HBase has verified the user.
   *
   * @param user its name in HBase, as the lines "name KRB" of the oracle's access file know it
   * @throws IllegalArgumentException if the name is longer than 255 characters, or not of printable
   *     ASCII without blanks
   */
  CompletableFuture<VouchedToken> vouchAsync(String user);

  /**
   * Takes a snapshot that many processes can read, and holds it: until it is released, or has not
   * been renewed for {@code ttl}, the low watermark does not pass it, so regions drop no version
   * that it contains. It is no transaction: neither the window nor the time limit of transactions
   * ends it, and it outlives this client and any take-over or restart of the oracle. Each costs the
   * versions that are kept for it.
   *
   * <p>The timestamp is above all commits that were answered before this call, and is a safe
   * snapshot as {@link #safeSnapshotAsync} has them: what is read at it is serializable, too. The
   * answer comes when it is durable that the snapshot is held. If the call fails with {@link
   * Category#TIMEOUT}, the snapshot may be held: {@link #holdsAsync} tells, and it ends by itself
   * after {@code ttl}.
   *
   * <p>It fails with {@link Category#INVALID_REQUEST} if another one is held by this name; with
   * {@link Category#OVERLOADED} if {@link Limits#HOLDS_MAX} are held; with {@link
   * Category#INCOMPATIBLE} if a server of the oracle is too old for it.
   *
   * @param name 1 to 64 printable characters of ASCII without blanks, for people
   * @param ttl 1 s to 30 days, in milliseconds; after a take-over of the oracle it begins anew
   * @return its timestamp
   * @throws IllegalArgumentException if name or time are others
   * @since 0.1
   */
  CompletableFuture<Long> holdAsync(String name, Duration ttl);

  /** Like {@link #holdAsync}, waiting for the answer. */
  long hold(String name, Duration ttl);

  /**
   * Lets the time of a held snapshot begin anew. Answers whether it is held; if not it was released
   * or its time was over, and it can be read no more.
   *
   * @param timestamp from {@link #holdAsync}
   * @since 0.1
   */
  CompletableFuture<Boolean> renewAsync(long timestamp);

  /** Like {@link #renewAsync}, waiting for the answer. */
  boolean renew(long timestamp);

  /**
   * Ends a held snapshot, whichever client took it; reads at it are refused from some time on.
   * Answers whether it was held until now, and by this copy of the request: false, too, if the
   * answer to an earlier copy was lost. May be repeated.
   *
   * @param timestamp from {@link #holdAsync}
   * @since 0.1
   */
  CompletableFuture<Boolean> releaseAsync(long timestamp);

  /** Like {@link #releaseAsync}, waiting for the answer. */
  boolean release(long timestamp);

  /**
   * All snapshots that are held now, oldest first; at most {@link Limits#HOLDS_MAX}.
   *
   * @since 0.1
   */
  CompletableFuture<List<Hold>> holdsAsync();

  /** Like {@link #holdsAsync}, waiting for the answer. */
  List<Hold> holds();

  /**
   * Reports a sweep: the caller took the handle from {@link #begin()}, <em>then</em> went over the
   * pending marks of all tables, asked for the status of each and finished the clean-up of every
   * decided transaction that it met. Therefore no mark is left of any transaction committed below
   * its start timestamp, and the oracle counts all of them as cleaned up, whichever client was to
   * report it: this is how it forgets the commits of dead clients. The answer comes once that is
   * durable. May be repeated. It fails with {@link Category#NOT_PERMITTED} unless the oracle lets
   * this client report sweeps.
   *
   * <p>The sweep's own handle is that of a transaction like any other: end it afterwards.
   *
   * @param sweep taken before the first mark was looked for; a later one would let the oracle
   *     forget commits whose marks were written behind the sweep's back
   */
  CompletableFuture<Void> sweptAsync(TransactionHandle sweep);

  /** Like {@link #sweptAsync}, waiting for the answer. */
  void swept(TransactionHandle sweep);

  /** Connects if need be, and completes when an oracle has answered: a health check. */
  CompletableFuture<Void> pingAsync();

  /** Like {@link #pingAsync}, waiting for the answer. */
  void ping();

  /**
   * Which oracle this client talks to. The first one that answers is the one that it is for, unless
   * it was {@link OracleClientBuilder#oracle built for one}; from then on it takes answers from no
   * other, and requests that can reach only another one fail with {@link Category#INCOMPATIBLE}.
   */
  CompletableFuture<OracleIdentity> identityAsync();

  /** Like {@link #identityAsync}, waiting for the answer. */
  OracleIdentity identity();

  /** What this client knows now of the servers that share the oracle's log; no server is asked. */
  OracleMembers members();

  /** Requests whose answer has not come; an estimate while other threads make requests. */
  int outstanding();

  /**
   * Closes the connections and completes every outstanding future before it returns: commits that
   * may have reached the oracle fail with {@link UnknownOutcomeException}, all others with {@link
   * Category#CLOSED}, as do later requests. Closing again has no effect. On the event loop's own
   * thread it returns without waiting.
   */
  @Override
  void close();
}
