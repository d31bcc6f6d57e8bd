package io.retso.hbase.errors;

import io.retso.text.Text;
import java.util.Optional;
import org.apache.yetus.audience.InterfaceAudience;

/**
 * The transaction is aborted: another one committed a row (or cell) of it after it started.
 *
 * @since 0.1
 */
@InterfaceAudience.Public
public final class ConflictException extends TransactionException {
  private static final long serialVersionUID = 1L;

  /** Null if it is not known, and in another process, as it is not serialized. */
  private final transient ConflictingChange conflict;

  /** Says what happened and what to do about it; the cause may be null. */
  public ConflictException(String message, Throwable cause) {
    super(Category.CONFLICT, message, cause);
    this.conflict = null;
  }

  /**
   * The transaction that started at {@code start} is aborted.
   *
   * @param conflict what it met; null if that is not known
   */
  @InterfaceAudience.Private
  public ConflictException(long start, ConflictingChange conflict) {
    super(
        Category.CONFLICT,
        Text.of(
            "transaction %s is aborted: %s after it began; run it again",
            start, conflict == null ? "another one committed a row of it" : conflict),
        null);
    this.conflict = conflict;
  }

  /**
   * What the transaction met: which row (or column) of which table, and by which commit.
   *
   * @return empty if an answer of the oracle was lost, if the oracle is older than this library, if
   *     the transaction names more than a MiB of keys, and in another process
   */
  public Optional<ConflictingChange> conflict() {
    return Optional.ofNullable(conflict);
  }
}
