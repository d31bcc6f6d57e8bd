package io.retso.hbase.read;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The scanners of a transaction for whose rows there is no room, so that HBase's own scanners wait.
 * An application may never take those rows: a loop over them that it left early closes nothing.
 * HBase would wait for as long as its client lives, and keep its region server's scanner alive. So
 * the end of the transaction closes them.
 *
 * <p>Thread-safe.
 */
public final class WaitingScanners {
  private final Set<BlockingScanner> waiting = new HashSet<>();
  private boolean ended;

  /** Whether the scanner may wait: it is closed at the end, unless it was removed before. */
  synchronized boolean add(BlockingScanner scanner) {
    return !ended && waiting.add(scanner);
  }

  synchronized void remove(BlockingScanner scanner) {
    waiting.remove(scanner);
  }

  /** The transaction has ended: no scanner waits from now on. */
  public void end() {
    List<BlockingScanner> left;
    synchronized (this) {
      ended = true;
      left = List.copyOf(waiting);
    }
    left.forEach(BlockingScanner::close); // not under the lock: each of them takes its own first
  }
}
