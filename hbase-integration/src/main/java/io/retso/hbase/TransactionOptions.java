package io.retso.hbase;

import io.retso.hbase.options.Isolation;
import io.retso.hbase.options.ReadSnapshot;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import org.apache.yetus.audience.InterfaceAudience;

/**
 * What one transaction has of its own; all other settings are the manager's. Immutable: each {@code
 * with} makes another one.
 *
 * <pre>{@code
 * static final TransactionOptions TRANSFER = TransactionOptions.DEFAULT.withName("transfer");
 * }</pre>
 *
 * <p>Whether a transaction may write is no option but the choice between {@link
 * TransactionManager#begin begin} and {@link TransactionManager#beginReadOnly beginReadOnly}, as
 * what compiles depends on it. Freshness is an option only for serializable read-only transactions.
 * All others read a fresh snapshot; a stale one would not be faster.
 *
 * @since 0.1
 */
@InterfaceAudience.Public
public final class TransactionOptions {
  /** Characters of a name. */
  public static final int NAME_LENGTH_MAX = 64;

  private static final Duration SHORTEST = Duration.ofMillis(1);
  private static final Duration LONGEST = Duration.ofDays(1);

  /** Without a name, without a time limit, with retry policy and isolation of the manager. */
  public static final TransactionOptions DEFAULT =
      new TransactionOptions("", null, null, null, ReadSnapshot.DEFERRED, null);

  private final String name;
  private final Duration timeLimit;
  private final RetryPolicy retryPolicy;
  private final Isolation isolation;
  private final ReadSnapshot readSnapshot;
  private final SnapshotToken held;

  private TransactionOptions(
      String name,
      Duration timeLimit,
      RetryPolicy retryPolicy,
      Isolation isolation,
      ReadSnapshot readSnapshot,
      SnapshotToken held) {
    this.name = name;
    this.timeLimit = timeLimit;
    this.retryPolicy = retryPolicy;
    this.isolation = isolation;
    this.readSnapshot = readSnapshot;
    this.held = held;
  }

  /**
   * Names what the transaction does, for log lines, messages of exceptions and metrics. Many
   * transactions share a name: it is one per kind of work, with no ids in it.
   *
   * @param of 1 to {@value #NAME_LENGTH_MAX} printable characters of ASCII
   * @throws IllegalArgumentException if it is another text
   */
  public TransactionOptions withName(String of) {
    Objects.requireNonNull(of, "the name is null: leave it out for none");
    boolean isPrintable = of.chars().allMatch(c -> c >= ' ' && c <= '~');
    if (of.isEmpty() || of.length() > NAME_LENGTH_MAX || !isPrintable) {
      throw new IllegalArgumentException(
          "the name of a transaction must be 1 to "
              + NAME_LENGTH_MAX
              + " printable characters of ASCII: this one has "
              + of.length()
              + (isPrintable ? "" : ", and others among them"));
    }
    return new TransactionOptions(of, timeLimit, retryPolicy, isolation, readSnapshot, held);
  }

  /**
   * Limits the time from the transaction's begin until its commit is asked for. A transaction that
   * is open then is rolled back, and each further use of it fails with a {@link
   * io.retso.hbase.errors.SnapshotTooOldException}. In {@code run} and its like it limits each
   * attempt. Without it, the oracle's {@code transaction.timeout} limits transactions that write.
   *
   * @param limit 1 ms to 1 day
   * @throws IllegalArgumentException if it is outside
   */
  public TransactionOptions withTimeLimit(Duration limit) {
    Objects.requireNonNull(limit, "the time limit is null: leave it out for none");
    if (limit.compareTo(SHORTEST) < 0 || limit.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException("time limit " + limit + " is not within 1 ms and 1 day");
    }
    return new TransactionOptions(name, limit, retryPolicy, isolation, readSnapshot, held);
  }

  /** How {@code run} and its like repeat the work. A transaction of {@code begin} is no loop. */
  public TransactionOptions withRetryPolicy(RetryPolicy policy) {
    Objects.requireNonNull(policy, "the policy is null: leave it out for that of the manager");
    return new TransactionOptions(name, timeLimit, policy, isolation, readSnapshot, held);
  }

  /**
   * What concurrent transactions may do to it. Transactions of both kinds may run beside each
   * other: docs/serializable.md says what a serializable one may see of the others.
   */
  public TransactionOptions withIsolation(Isolation level) {
    Objects.requireNonNull(level, "the isolation is null: leave it out for that of the manager");
    return new TransactionOptions(name, timeLimit, retryPolicy, level, readSnapshot, held);
  }

  /**
   * What it reads if it is serializable and read-only; others have a snapshot of their own.
   * Default: {@link ReadSnapshot#DEFERRED}.
   */
  public TransactionOptions withReadSnapshot(ReadSnapshot kind) {
    Objects.requireNonNull(kind, "the snapshot is null: leave it out for a deferred one");
    return new TransactionOptions(name, timeLimit, retryPolicy, isolation, kind, held);
  }

  /**
   * Lets a transaction that only reads have a held snapshot, perhaps that of another process,
   * whatever its isolation is: a held one is safe, and nothing is tracked. {@code begin} and {@code
   * run} refuse it. If it is held no longer, reads fail with {@link
   * io.retso.hbase.errors.SnapshotTooOldException} from some time on, and are not repeated.
   */
  public TransactionOptions at(SnapshotToken snapshot) {
    Objects.requireNonNull(snapshot, "the token is null: leave it out for a fresh snapshot");
    return new TransactionOptions(name, timeLimit, retryPolicy, isolation, readSnapshot, snapshot);
  }

  /** The name; empty if there is none. */
  public String name() {
    return name;
  }

  /** The time limit, if there is one. */
  public Optional<Duration> timeLimit() {
    return Optional.ofNullable(timeLimit);
  }

  /** The retry policy, if it is not the manager's. */
  public Optional<RetryPolicy> retryPolicy() {
    return Optional.ofNullable(retryPolicy);
  }

  /** The isolation, if it is not the manager's. */
  public Optional<Isolation> isolation() {
    return Optional.ofNullable(isolation);
  }

  /** What it reads if it is serializable and read-only. */
  public ReadSnapshot readSnapshot() {
    return readSnapshot;
  }

  /** The held snapshot that it reads, if it is to read one. */
  public Optional<SnapshotToken> heldSnapshot() {
    return Optional.ofNullable(held);
  }

  @Override
  public String toString() {
    return "["
        + name
        + "] time limit "
        + timeLimit
        + ", "
        + retryPolicy
        + ", isolation "
        + isolation
        + ", reads "
        + (held == null ? readSnapshot : held);
  }
}
