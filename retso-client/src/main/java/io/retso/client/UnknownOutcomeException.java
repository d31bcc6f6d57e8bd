package io.retso.client;

import org.apache.yetus.audience.InterfaceAudience;

/**
 * A commit (or an abort) whose outcome this client does not know: the request may have reached the
 * oracle, and either no answer came in time, or the oracle no longer remembers. Or another request
 * has committed the transaction, and only that one's caller knows which rows it named.
 *
 * <p>The client has already repeated the request for as long as its deadline allowed. Running the
 * transaction again now could apply it twice. What resolves it is {@link OracleClient#abort} with
 * the transaction's handle: it answers with the commit timestamp if the transaction was committed,
 * and otherwise makes sure that it never will be.
 */
@InterfaceAudience.Public
public final class UnknownOutcomeException extends OracleException {
  private static final long serialVersionUID = 1L;

  private final long startTimestamp;

  /**
   * The outcome of the transaction that started at {@code startTimestamp} is unknown.
   *
   * @param cause may be null
   */
  public UnknownOutcomeException(long startTimestamp, String message, Throwable cause) {
    super(Category.UNKNOWN_OUTCOME, message, cause);
    this.startTimestamp = startTimestamp;
  }

  /** The start timestamp of the transaction in question. */
  public long startTimestamp() {
    return startTimestamp;
  }
}
