package io.retso.client.connection;

import io.retso.client.OracleMembers;
import java.time.Duration;
import java.util.List;

/** What a client tells of its members. The event loop notes it, any thread reads it. */
final class MembersRecord {
  private record Leaders(
      String leader, long epoch, long changes, long withoutNanos, boolean led, long sinceNanos) {}

  private static final Leaders NONE = new Leaders("", 0, 0, 0, true, 0);

  private volatile Leaders leaders = NONE;
  private volatile List<String> addresses = List.of();
  private volatile int connected;

  /** A member leads and is not silent; {@code address} is where. */
  void led(String address, long epoch, long nowNanos) {
    Leaders last = leaders;
    if (!last.led || last.epoch != epoch || !last.leader.equals(address)) {
      long changes = last.changes + (last.epoch != 0 && last.epoch != epoch ? 1 : 0);
      leaders = new Leaders(address, epoch, changes, without(last, nowNanos), true, 0);
    }
  }

  /** No member leads, or the leader is silent; {@code address} is where that one is, or empty. */
  void notLed(String address, long nowNanos) {
    Leaders last = leaders;
    if (last.led || !last.leader.equals(address)) {
      long sinceNanos = last.led ? nowNanos : last.sinceNanos;
      leaders =
          new Leaders(address, last.epoch, last.changes, last.withoutNanos, false, sinceNanos);
    }
  }

  private static long without(Leaders leaders, long nowNanos) {
    return leaders.withoutNanos + (leaders.led ? 0 : nowNanos - leaders.sinceNanos);
  }

  void members(List<String> all, int areConnected) {
    addresses = all;
    connected = areConnected;
  }

  /** As it is now. */
  OracleMembers get(long nowNanos) {
    Leaders now = leaders;
    return new OracleMembers(
        now.leader,
        now.epoch,
        now.changes,
        Duration.ofNanos(without(now, nowNanos)),
        addresses,
        connected);
  }
}
