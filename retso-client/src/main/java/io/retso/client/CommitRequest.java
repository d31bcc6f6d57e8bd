package io.retso.client;

import io.retso.protocol.Limits;
import java.util.Objects;
import org.apache.yetus.audience.InterfaceAudience;

/**
 * What a transaction brings when it asks to commit: the ids of what it wrote and read.
 *
 * <pre>{@code
 * CommitRequest request =
 *     CommitRequest.of(start).withWrites(written).withReads(read).serializable();
 * }</pre>
 *
 * <p>Ids are those of {@link RowId}, in any order, {@link Limits#TRANSACTION_IDS_MAX} in all lists
 * together. Immutable, but arrays are not copied: leave them unchanged until the request is
 * answered.
 */
@InterfaceAudience.Public
public final class CommitRequest {
  private static final long[] NONE = {};

  private final TransactionHandle transaction;
  private final boolean serializable;
  private final long[] writes;
  private final long[] validated;
  private final long[] reads;
  private final long[] rangeReads;
  private final long[] rangeWrites;
  private final boolean asksSteps;

  private CommitRequest(
      TransactionHandle transaction,
      boolean serializable,
      long[] writes,
      long[] validated,
      long[] reads,
      long[] rangeReads,
      long[] rangeWrites,
      boolean asksSteps) {
    this.transaction = Objects.requireNonNull(transaction, "transaction");
    this.serializable = serializable;
    this.writes = Objects.requireNonNull(writes, "writes");
    this.validated = Objects.requireNonNull(validated, "validated");
    this.reads = Objects.requireNonNull(reads, "reads");
    this.rangeReads = Objects.requireNonNull(rangeReads, "rangeReads");
    this.rangeWrites = Objects.requireNonNull(rangeWrites, "rangeWrites");
    this.asksSteps = asksSteps;
  }

  /**
   * A request of a transaction that wrote and read nothing.
   *
   * @param transaction from {@link OracleClient#begin()}
   */
  public static CommitRequest of(TransactionHandle transaction) {
    return new CommitRequest(transaction, false, NONE, NONE, NONE, NONE, NONE, false);
  }

  /** This request with the rows (or cells) that it wrote or locked: others must not have. */
  public CommitRequest withWrites(long... ids) {
    return new CommitRequest(
        transaction, serializable, ids, validated, reads, rangeReads, rangeWrites, asksSteps);
  }

  /**
   * This request with rows (or cells) that it read and wants unchanged since it began: if another
   * has committed one of them, it aborts with a conflict. No other aborts because it read them. If
   * it is serializable, they count among its reads, too.
   */
  public CommitRequest withValidated(long... ids) {
    return new CommitRequest(
        transaction, serializable, writes, ids, reads, rangeReads, rangeWrites, asksSteps);
  }

  /** This request with rows (or cells) that it read; looked at if it is serializable. */
  public CommitRequest withReads(long... ids) {
    return new CommitRequest(
        transaction, serializable, writes, validated, ids, rangeReads, rangeWrites, asksSteps);
  }

  /**
   * This request with granules that it read, in scans for example; looked at if it is serializable.
   */
  public CommitRequest withRangeReads(long... granules) {
    return new CommitRequest(
        transaction, serializable, writes, validated, reads, granules, rangeWrites, asksSteps);
  }

  /** This request with the granules in which the rows lie that it wrote. */
  public CommitRequest withRangeWrites(long... granules) {
    return new CommitRequest(
        transaction, serializable, writes, validated, reads, rangeReads, granules, asksSteps);
  }

  /** This request with what it read to be certified: it commits only if it is serializable. */
  public CommitRequest serializable() {
    return new CommitRequest(
        transaction, true, writes, validated, reads, rangeReads, rangeWrites, asksSteps);
  }

  /**
   * This request with the question how long the steps of the commit took in the oracle's server:
   * {@link CommitResult#steps}. A server that does not know the question is not asked.
   *
   * @since 0.1
   */
  public CommitRequest withSteps() {
    return new CommitRequest(
        transaction, serializable, writes, validated, reads, rangeReads, rangeWrites, true);
  }

  /** The transaction. */
  public TransactionHandle transaction() {
    return transaction;
  }

  /** Whether what it read is to be certified. */
  public boolean isSerializable() {
    return serializable;
  }

  /**
   * Whether it asks how long its steps took.
   *
   * @since 0.1
   */
  public boolean asksSteps() {
    return asksSteps;
  }

  /** Ids of what it wrote; not copied. */
  public long[] writes() {
    return writes;
  }

  /** Ids of what it validates; not copied. */
  public long[] validated() {
    return validated;
  }

  /** Ids of what it read; not copied. */
  public long[] reads() {
    return reads;
  }

  /** Granules that it read; not copied. */
  public long[] rangeReads() {
    return rangeReads;
  }

  /** Granules in which it wrote; not copied. */
  public long[] rangeWrites() {
    return rangeWrites;
  }

  /** Ids of one of the lists; not copied. */
  public long[] ids(Conflict.Kind kind) {
    return switch (kind) {
      case WRITE -> writes;
      case VALIDATED -> validated;
      case READ -> reads;
      case RANGE_READ -> rangeReads;
      case RANGE_WRITE -> rangeWrites;
    };
  }

  /** The ids in all lists; below the largest long by far. */
  public long ids() {
    return (long) writes.length
        + validated.length
        + reads.length
        + rangeReads.length
        + rangeWrites.length;
  }

  /**
   * Whether it asks for no more than {@link OracleClient#commit(TransactionHandle, long...)} does:
   * what it read is not looked at, and it tells others only its rows.
   */
  public boolean isPlain() {
    return !serializable && validated.length == 0 && rangeWrites.length == 0;
  }
}
