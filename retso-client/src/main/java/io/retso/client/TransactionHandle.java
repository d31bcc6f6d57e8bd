package io.retso.client;

import io.retso.protocol.Timestamps;
import java.util.HexFormat;
import org.apache.yetus.audience.InterfaceAudience;

/**
 * What a client holds of a transaction that it began: the start timestamp, and a ticket that proves
 * to the oracle which client began it. A program that has the handle can end the transaction, from
 * any process, and no other can. Immutable.
 *
 * <p>Keep {@link #text} where another process is to resolve an unknown outcome. It is as secret as
 * the transaction is worth: {@link #toString}, which goes into logs and messages, lacks the ticket.
 */
@InterfaceAudience.Public
public final class TransactionHandle {
  private static final String SEPARATOR = ":";

  private final long startTimestamp;
  private final long ticket;

  private TransactionHandle(long startTimestamp, long ticket) {
    this.startTimestamp = startTimestamp;
    this.ticket = ticket;
  }

  /**
   * The handle of a transaction.
   *
   * @param ticket as {@link #ticket} says; one that is made up is of no use
   * @throws IllegalArgumentException if that cannot be a start timestamp
   */
  public static TransactionHandle of(long startTimestamp, long ticket) {
    if (!Timestamps.isWellFormed(startTimestamp)) {
      throw new IllegalArgumentException(
          "start timestamp "
              + startTimestamp
              + " is not a positive multiple of "
              + Timestamps.GAP
              + " up to "
              + Timestamps.MAX
              + ": take the handle from begin()");
    }
    return new TransactionHandle(startTimestamp, ticket);
  }

  /**
   * The handle that a {@link #text} describes.
   *
   * @throws IllegalArgumentException if it describes none
   */
  public static TransactionHandle parse(String text) {
    int end = text.indexOf(SEPARATOR);
    try {
      if (end > 0 && text.length() == end + 1 + 2 * Long.BYTES) {
        TransactionHandle handle =
            of(
                Long.parseLong(text, 0, end, 10),
                HexFormat.fromHexDigitsToLong(text, end + 1, text.length()));
        if (handle.text().equals(text)) { // no sign, no zeros in front, no upper case
          return handle;
        }
      }
    } catch (NumberFormatException e) {
      // Said below.
    }
    throw new IllegalArgumentException(
        "a transaction's handle has a start timestamp, a colon and 16 hexadecimal digits, as"
            + " TransactionHandle.text() returns it");
  }

  /** Start timestamp of the transaction. */
  public long startTimestamp() {
    return startTimestamp;
  }

  /** The oracle's proof that its client began it: a number without a meaning. */
  public long ticket() {
    return ticket;
  }

  /** The handle as text, ticket included; {@link #parse} reads it. */
  public String text() {
    return startTimestamp + SEPARATOR + HexFormat.of().toHexDigits(ticket);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof TransactionHandle that
        && startTimestamp == that.startTimestamp
        && ticket == that.ticket;
  }

  @Override
  public int hashCode() {
    return Long.hashCode(startTimestamp);
  }

  /** The start timestamp, without the ticket. */
  @Override
  public String toString() {
    return Long.toString(startTimestamp);
  }
}
