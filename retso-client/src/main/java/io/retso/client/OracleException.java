package io.retso.client;

import java.util.Objects;
import org.apache.yetus.audience.InterfaceAudience;

/**
 * What can go wrong between a caller and the oracle. The {@link Category} says what the caller
 * should do; the message says why and names the remedy.
 *
 * <p>Bad arguments are not among them: they are thrown at once as {@link IllegalArgumentException}
 * or {@link NullPointerException}, before anything is sent.
 */
@InterfaceAudience.Public
public class OracleException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** What the caller should do. */
  public enum Category {
    /**
     * No oracle could be reached, and the request surely never left this client. Check the
     * addresses and the server; the request may be made again as it is.
     */
    UNAVAILABLE,
    /**
     * The request left this client and no answer came in time. It is one whose repetition does no
     * harm (everything but a commit): make it again, with a longer time-out if this is frequent.
     */
    TIMEOUT,
    /**
     * The client's limit of outstanding requests is reached; or the server refused a commit each
     * time that it was asked within half of the request's time, because its table of committed
     * transactions that are not cleaned up is full, or this host has more than its share. Nothing
     * was decided. Slow down, wait for answers or clean up, then make the request again.
     */
    OVERLOADED,
    /**
     * A commit may or may not have been carried out; see {@link UnknownOutcomeException}. Do
     * <em>not</em> run the transaction again before its outcome is known. A commit that fails with
     * any other category is not committed, and no request to commit it is under way.
     */
    UNKNOWN_OUTCOME,
    /**
     * The oracle refused the request's contents, for instance a timestamp that it never issued. The
     * caller has a bug, or talks to another oracle than before; repeating cannot help.
     */
    INVALID_REQUEST,
    /**
     * The oracle does not let this client do that: another client began the transaction, or reports
     * of sweeps are for others. Nothing was done; repeating cannot help.
     */
    NOT_PERMITTED,
    /**
     * The peer is no oracle, speaks another version or breaks the protocol. Correct the address or
     * upgrade the older side; repeating cannot help until then.
     */
    INCOMPATIBLE,
    /**
     * One side could not prove its identity to the other: the server wants credentials that this
     * client lacks, or does not take them; or the server's certificate is not one that this client
     * trusts. Nothing was asked of it. Repeating cannot help until that is corrected.
     */
    NOT_AUTHENTICATED,
    /** The client was closed. Build a new one. */
    CLOSED,
    /**
     * The calling thread was interrupted while it waited in a blocking call; its interrupt flag is
     * set again. The request itself may still be carried out.
     */
    INTERRUPTED
  }

  private final Category category;

  /**
   * A failure.
   *
   * @param message what happened and what to do about it
   * @param cause may be null
   */
  public OracleException(Category category, String message, Throwable cause) {
    super(message, cause);
    this.category = Objects.requireNonNull(category);
  }

  /** What the caller should do. */
  public final Category category() {
    return category;
  }
}
