package io.retso.member;

import java.util.List;

/**
 * The members that share a log, as far as they are known. It orders the candidates for a take-over
 * and tells clients of all addresses; nothing rests on its being right.
 *
 * <p>No call blocks. Of the member's thread.
 */
public interface Roster extends AutoCloseable {
  /**
   * A member.
   *
   * @param address where clients reach it, {@code host:port}; this is its name, too
   * @param httpAddress where operators reach it
   * @param isReady a standby that has read the log, and could take over; a leader
   * @param logVersion the newest one of {@link io.retso.log.LogEntry} that it reads
   * @param entriesBehind entries of the log that it knows of and has not applied
   */
  record Entry(
      String address, String httpAddress, boolean isReady, int logVersion, long entriesBehind) {}

  /** Registers this member, or changes what is said of it; the newest call counts. */
  void publish(Entry own);

  /**
   * Those that are registered, the longest registered one first; as they were heard of last, so
   * some may be gone, and this member may be missing.
   */
  List<Entry> members();

  /** Leaves at once. */
  @Override
  void close();
}
