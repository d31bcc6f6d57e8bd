package io.retso.member;

import io.retso.log.LogEntry;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The newest version of the log's entries that all members read, so that a leader among older
 * standbys writes nothing that they could not take over. Nothing rests on its being right: a member
 * that cannot read the log does not take it over.
 */
final class ReadVersion {
  /** A member that is not seen may come back within so long: it is restarted, or cut off. */
  static final long MEMORY_NANOS = TimeUnit.MINUTES.toNanos(1);

  private static final Logger LOG = LoggerFactory.getLogger(ReadVersion.class);

  private int newest = LogEntry.newestVersion();

  /** When a member was seen that reads no later one. */
  private long seenNanos;

  /** Those that are registered now. */
  void see(List<Roster.Entry> members, long now) {
    int lowest = LogEntry.newestVersion();
    for (Roster.Entry member : members) {
      lowest = Math.min(lowest, member.logVersion());
    }
    if (lowest > newest && now - seenNanos < MEMORY_NANOS) {
      return;
    }
    if (lowest != newest) {
      LOG.info("all members read the log up to version {} of its entries", lowest);
    }
    newest = lowest;
    seenNanos = now;
  }

  int newest() {
    return newest;
  }
}
