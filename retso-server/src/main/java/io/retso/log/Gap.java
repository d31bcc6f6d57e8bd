package io.retso.log;

import java.nio.ByteBuffer;

/**
 * Entries between two ledgers that were read are not there any more: the writer has no need of
 * them. It does not delete in the order of the list, since it keeps for a while what others wrote.
 * A server that follows the log must begin again; no entry is lost that is needed.
 */
final class Gap extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private Gap(long position, long last) {
    super("position " + position + " follows " + last, null, false, false);
  }

  /** Throws unless an entry, the first one of its ledger, follows a position. */
  static void unlessFollows(ByteBuffer entry, long last) {
    long position = LogEntry.position(entry);
    if (position != last + 1) {
      throw new Gap(position, last);
    }
  }

  static boolean isCauseOf(Throwable e) {
    return e instanceof Gap || e != null && e.getCause() instanceof Gap;
  }
}
