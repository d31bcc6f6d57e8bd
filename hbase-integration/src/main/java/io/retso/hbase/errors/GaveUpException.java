package io.retso.hbase.errors;

import io.retso.hbase.RetryPolicy;
import io.retso.hbase.TransactionManager;
import io.retso.text.Text;
import org.apache.yetus.audience.InterfaceAudience;

/**
 * {@link TransactionManager#run} ran a transaction as often, or for as long, as its {@link
 * RetryPolicy} allows. The cause is what the last attempt failed with, the category says why that
 * failed; nothing of any attempt is committed.
 *
 * @since 0.1
 */
@InterfaceAudience.Public
public final class GaveUpException extends TransactionException {
  private static final long serialVersionUID = 1L;

  private final int attempts;

  /**
   * The last of several failures.
   *
   * @param attempts how many failed
   * @param millis since the first one began
   * @param last becomes the cause
   */
  public GaveUpException(int attempts, long millis, TransactionException last) {
    super(
        why(last),
        Text.of(
            "gave up after %s%s in %s ms, nothing is committed; the last one failed: %s%s",
            attempts,
            attempts == 1 ? " attempt" : " attempts",
            millis,
            last.getMessage(),
            remedy(why(last))),
        last);
    this.attempts = attempts;
  }

  private static String remedy(Category why) {
    return switch (why) {
      case CONFLICT ->
          ". Let fewer transactions write the same rows at a time, or raise the RetryPolicy";
      case SERIALIZATION ->
          ". Let fewer transactions read and write the same rows at a time, get what is read and"
              + " then written for update, or raise the RetryPolicy";
      case ABORTED -> ". See why answers of the oracle are lost, or what resolves transactions";
      case TABLE_CHANGED ->
          ". If the table is being prepared, or a region does not get the settings that HBase's"
              + " master shows, see that it opens again";
      case ORACLE_UNAVAILABLE -> ". Bring the oracle back, or raise the RetryPolicy";
      default -> ". Make the transaction shorter, or raise the oracle's limits";
    };
  }

  /** A write may have failed for a reason that has a category of its own. */
  private static Category why(TransactionException last) {
    return last.getCause() instanceof TransactionException cause
        ? cause.category()
        : last.category();
  }

  /** How often it was run. */
  public int attempts() {
    return attempts;
  }

  @Override
  public boolean isRetryable() {
    return false;
  }
}
