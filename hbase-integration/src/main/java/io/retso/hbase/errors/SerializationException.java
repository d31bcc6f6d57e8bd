package io.retso.hbase.errors;

import io.retso.text.Text;
import java.util.Optional;
import org.apache.yetus.audience.InterfaceAudience;

/**
 * The serializable transaction is aborted: with those that committed while it ran, there is no
 * order in which it could have run alone. Only committed transactions are to blame, so the next
 * attempt does not meet the same refusal.
 *
 * @since 0.1
 */
@InterfaceAudience.Public
public final class SerializationException extends TransactionException {
  private static final long serialVersionUID = 1L;

  /** Why there is none. */
  public enum Reason {
    /**
     * Another one changed what it has read, so it would come before that one; and what it writes
     * was read by one, or it began after one, behind which it would come.
     */
    PIVOT(
        "what it read was changed by others, and what it writes was read by others, meanwhile; if"
            + " this is frequent, let fewer transactions that meet run at a time, or let them read"
            + " less"),
    /** It wrote nothing, and what it has read was changed after it began. */
    READ_ONLY(
        "what it read was changed meanwhile; or read another snapshot, DEFERRED or RECENT, with"
            + " which no reader is refused"),
    /**
     * What it has read was changed several times, and the oracle knows the last change only, or no
     * longer.
     */
    UNKNOWN_SUCCESSOR(
        "what it read was changed meanwhile, more than once, or longer ago than the oracle"
            + " remembers; if this is frequent, make transactions shorter, or give the oracle more"
            + " rows");

    private final String text;

    Reason(String text) {
      this.text = text;
    }
  }

  private final Reason reason;

  /** Null if it is not known, and in another process, as it is not serialized. */
  private final transient ConflictingChange conflict;

  /** The transaction that started at {@code start} is aborted. */
  public SerializationException(long start, Reason reason) {
    this(start, reason, null);
  }

  /**
   * The transaction that started at {@code start} is aborted.
   *
   * @param conflict what it met; null if that is not known
   */
  @InterfaceAudience.Private
  public SerializationException(long start, Reason reason, ConflictingChange conflict) {
    super(
        Category.SERIALIZATION,
        Text.of(
            "transaction %s is aborted, as no serial order is known in which it fits: run it again;"
                + " %s%s",
            start, conflict == null ? "" : conflict + " meanwhile: ", reason.text),
        null);
    this.reason = reason;
    this.conflict = conflict;
  }

  /**
   * What the transaction met: what it read and others changed; and of a pivot, what it wrote and
   * others read.
   *
   * @return empty if an answer of the oracle was lost, if the oracle is older than this library, if
   *     the transaction names more than a MiB of keys, and in another process
   */
  public Optional<ConflictingChange> conflict() {
    return Optional.ofNullable(conflict);
  }

  /** Why it is aborted. */
  public Reason reason() {
    return reason;
  }
}
