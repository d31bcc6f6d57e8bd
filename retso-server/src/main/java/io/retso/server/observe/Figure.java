package io.retso.server.observe;

import io.retso.member.Roster;
import java.util.function.ToDoubleFunction;

/**
 * Each single number that a server shows: the one table from which {@link Metrics} and {@link
 * StatusReport} take them, in the order and the groups of {@code docs/metrics.md}. What is a
 * distribution is a {@link BatchHistogram} and not here.
 */
enum Figure {
  BEGINS(Group.TRANSACTIONS, "begins", "Start timestamps issued.", f -> f.oracle.begins),
  COMMITS(Group.TRANSACTIONS, "commits", "Transactions committed.", f -> f.oracle.commits),
  COMMITTED_ROWS(
      Group.TRANSACTIONS, "committed.rows", "Rows of committed transactions.", f -> f.oracle.rows),
  ABORTS_CONFLICT(Reason.CONFLICT, f -> f.oracle.conflicts),
  ABORTS_EVICTED(Reason.EVICTED, f -> f.oracle.evicted),
  ABORTS_OUT_OF_WINDOW(Reason.OUT_OF_WINDOW, f -> f.oracle.outOfWindow),
  ABORTS_PIVOT(Reason.PIVOT, f -> f.oracle.pivots),
  ABORTS_READ_ONLY(Reason.READ_ONLY, f -> f.oracle.readOnlyAborts),
  ABORTS_UNKNOWN_SUCCESSOR(Reason.UNKNOWN_SUCCESSOR, f -> f.oracle.unknownSuccessors),
  ABORTS_REQUESTED(Reason.REQUESTED, f -> f.oracle.requested),
  REFUSED_COMMITS(
      Group.TRANSACTIONS,
      "refused.commits",
      "Commit requests refused: too many commits are not cleaned up, or their host is above its"
          + " share.",
      f -> f.oracle.refused),
  REFUSED_TICKETS(
      Group.TRANSACTIONS,
      "refused.tickets",
      "Requests refused as their ticket is not that of the transaction: another client began it, or"
          + " its secret was dropped.",
      f -> f.refusedTickets),
  STATUS_QUERIES(Group.TRANSACTIONS, "status.queries", "Status queries.", f -> f.oracle.queries),
  TIMESTAMPS(
      Group.TRANSACTIONS,
      "timestamps",
      "Timestamps issued to readers, which are no transactions.",
      f -> f.oracle.timestamps),
  SAFE_SNAPSHOTS(
      Group.TRANSACTIONS,
      "safe.snapshots",
      "Snapshots issued to serializable transactions that only read.",
      f -> f.oracle.safeSnapshots),
  CLEANUPS(
      Group.TRANSACTIONS,
      "cleanups",
      "Transactions reported as cleaned up.",
      f -> f.oracle.cleanups),
  SWEEP_REPORTS(
      Group.TRANSACTIONS,
      "sweep.reports",
      "Sweeps of the tables reported: what committed before them is cleaned up.",
      f -> f.oracle.sweptReports),
  EXPIRED(
      Group.TRANSACTIONS,
      "expired.transactions",
      "Open transactions aborted because they were older than transaction.timeout.",
      f -> f.oracle.expired),
  OUT_OF_WINDOW(
      Group.TRANSACTIONS,
      "out.of.window.transactions",
      "Open transactions that left the window: they can no longer commit.",
      f -> f.oracle.leftWindow),
  OPEN(
      Group.TRANSACTIONS,
      Kind.GAUGE,
      "open.transactions",
      "Started and not decided.",
      f -> f.oracle.open),
  HALF_ABORTED(
      Group.TRANSACTIONS,
      Kind.GAUGE,
      "half.aborted.transactions",
      "Aborted, and their cleanup not reported.",
      f -> f.oracle.halfAborted),
  UNCLEANED(
      Group.TRANSACTIONS,
      Kind.GAUGE,
      "uncleaned.transactions",
      "Committed, and their cleanup not reported.",
      f -> f.oracle.uncleaned),
  UNCLEANED_LIMIT(
      Group.TRANSACTIONS,
      Kind.GAUGE,
      "uncleaned.transactions.limit",
      "The setting uncleaned.max.",
      f -> f.oracle.uncleanedCapacity),

  MAP_ROWS(Group.MEMORY, Kind.GAUGE, "map.rows", "Rows in the map.", f -> f.oracle.mapOccupied),
  MAP_ROWS_LIMIT(
      Group.MEMORY,
      Kind.GAUGE,
      "map.rows.limit",
      "Rows that fit into the map.",
      f -> f.oracle.mapCapacity),
  MAP_EVICTIONS(
      Group.MEMORY,
      "map.evictions",
      "Rows that gave their place in the map to another.",
      f -> f.oracle.mapEvictions),
  TMAX_LAG(
      Group.MEMORY,
      Kind.GAUGE,
      "tmax.lag.timestamps",
      "Timestamps between now and T_max, the newest evicted row; a transaction takes two.",
      f -> f.oracle.mapTmaxLag),
  CLOCK_LAG(
      Group.MEMORY,
      Kind.GAUGE,
      "clock.lag.seconds",
      "How far timestamps are behind the clock that they follow.",
      f -> f.clockLagMillis / 1e3),
  WINDOW_LAG(
      Group.MEMORY,
      Kind.GAUGE,
      "window.lag.timestamps",
      "Timestamps between now and the oldest transaction that may still commit.",
      f -> f.oracle.windowLag),
  WATERMARK_LAG(
      Group.MEMORY,
      Kind.GAUGE,
      "watermark.lag.timestamps",
      "Timestamps between now and the oldest transaction that is open, or committed and not"
          + " cleaned up.",
      f -> f.oracle.watermarkLag),

  HOLDS(Group.MEMORY, Kind.GAUGE, "holds", "Snapshots that are held.", f -> f.oracle.holds),
  HOLD_LAG(
      Group.MEMORY,
      Kind.GAUGE,
      "hold.lag.timestamps",
      "Timestamps between now and the oldest held snapshot: regions keep all versions since. 0"
          + " without any.",
      f -> f.oracle.holdLag),
  HOLD_AGE(
      Group.MEMORY,
      Kind.GAUGE,
      "hold.age.seconds",
      "How long ago the oldest held snapshot was taken; 0 without any.",
      f -> f.holdAgeMillis() / 1e3),

  LOG_ENTRIES(Group.LOG, "log.entries", "Entries appended to the log.", f -> f.sequencer.entries),
  LOG_OUTSTANDING(
      Group.LOG,
      Kind.GAUGE,
      "log.outstanding.entries",
      "Entries not acknowledged yet.",
      f -> f.outstanding),
  LOG_OLDEST_OUTSTANDING(
      Group.LOG,
      Kind.GAUGE,
      "log.oldest.outstanding.seconds",
      "How long the oldest entry that is not acknowledged has been waiting.",
      f -> f.oldestOutstandingNanos / 1e9),
  LOG_SEGMENTS(Group.LOG, "log.segments", "Segments (ledgers) started.", f -> f.sequencer.segments),
  LOG_LEDGERS(
      Group.LOG,
      Kind.GAUGE,
      "log.ledgers",
      "Ledgers that hold the log, as its leader knows; 0 of a standby.",
      f -> f.ledgers),
  LOG_LEDGER_BYTES(
      Group.LOG,
      Kind.GAUGE,
      "log.ledger.bytes",
      "Bytes that the leader has appended to the newest of them.",
      f -> f.ledgerBytes),
  LOG_LEASE(
      Group.LOG,
      Kind.GAUGE,
      "log.lease.seconds",
      "How long the leader's timestamps may still leave at once if the log acknowledges nothing; 0:"
          + " they wait for it.",
      f -> f.leaseNanos / 1e9),
  LOG_STALLS(
      Group.LOG,
      "log.stalls",
      "Times that entries could not be appended and the log had to go on in another ledger.",
      f -> f.sequencer.stalls),
  LOG_STALLED(
      Group.LOG,
      Kind.GAUGE,
      "log.stalled",
      "1 while that lasts: nothing is answered until enough bookies take entries again.",
      f -> f.sequencer.stalledBy.isEmpty() ? 0 : 1),
  LOG_WAITS(
      Group.LOG,
      "log.waits",
      "Times that a connection had to wait because the log was behind.",
      f -> f.net.logWaits),

  LEADING(
      Group.MEMBERS,
      Kind.GAUGE,
      "leading",
      "1 while this server leads, 0 while it is a standby.",
      f -> f.member.leads() ? 1 : 0),
  EPOCH(
      Group.MEMBERS,
      Kind.GAUGE,
      "epoch",
      "Grows with every take-over of the log.",
      f -> f.member.epoch()),
  TAKE_OVERS(
      Group.MEMBERS,
      "take.overs",
      "Times that this server took the log over.",
      f -> f.member.takeOvers()),
  STANDBY_READY(
      Group.MEMBERS,
      Kind.GAUGE,
      "standby.ready",
      "1 if this server has read the log, and could take over or leads.",
      f -> f.member.isReady() ? 1 : 0),
  STANDBY_ENTRIES_BEHIND(
      Group.MEMBERS,
      Kind.GAUGE,
      "standby.entries.behind",
      "Entries of the log that a standby knows of and has not applied.",
      f -> f.member.entriesBehind()),
  MEMBERS(
      Group.MEMBERS,
      Kind.GAUGE,
      "members",
      "Servers of this log that are registered, this one included.",
      f -> f.member.members().size()),
  MEMBERS_READY(
      Group.MEMBERS,
      Kind.GAUGE,
      "members.ready",
      "Those of them that could take over, or lead.",
      f -> f.member.members().stream().filter(Roster.Entry::isReady).count()),

  CONNECTIONS(
      Group.NETWORK, Kind.GAUGE, "connections", "Client connections open.", f -> f.net.connections),
  CONNECTIONS_IN_CLEAR(
      Group.NETWORK,
      Kind.GAUGE,
      "connections.in.clear",
      "Client connections open without TLS.",
      f -> f.net.inClear),
  CONNECTIONS_UNKNOWN(
      Group.NETWORK,
      Kind.GAUGE,
      "connections.unknown",
      "Client connections open whose clients have not identified themselves.",
      f -> f.net.unknown),
  CONNECTIONS_ACCEPTED(
      Group.NETWORK, "connections.accepted", "Connections accepted.", f -> f.net.accepted),
  CONNECTIONS_REJECTED(
      Group.NETWORK,
      "connections.rejected",
      "Connections closed with an error.",
      f -> f.net.rejected),
  CONNECTIONS_STALLED(
      Group.NETWORK,
      "connections.stalled",
      "Connections closed because the client did not read its replies, was silent, or took most of"
          + " the memory of connections.",
      f -> f.net.stalled),
  REQUEST_FRAMES(Group.NETWORK, "request.frames", "Request frames taken.", f -> f.net.frames),
  REQUEST_BYTES(Group.NETWORK, "request.bytes", "Bytes received from clients.", f -> f.net.bytesIn);

  /** How a figure behaves. */
  enum Kind {
    /** Grows only; its rate is of interest. */
    COUNTER,
    /** Goes up and down. */
    GAUGE
  }

  /** What a figure is about: a chapter of {@code docs/metrics.md}. */
  enum Group {
    TRANSACTIONS,
    MEMORY,
    LOG,
    MEMBERS,
    NETWORK
  }

  /** Why a transaction was aborted: the labels of one metric. */
  enum Reason {
    CONFLICT,
    EVICTED,
    OUT_OF_WINDOW,
    PIVOT,
    READ_ONLY,
    UNKNOWN_SUCCESSOR,
    REQUESTED
  }

  final Group group;
  final Kind kind;

  /** The name of the metric, words separated by dots, without the prefix of all. */
  final String metric;

  /** The label {@code reason}; null: the metric has none. */
  final Reason reason;

  final String help;
  final ToDoubleFunction<Figures> value;

  Figure(Group group, String metric, String help, ToDoubleFunction<Figures> value) {
    this(group, Kind.COUNTER, metric, null, help, value);
  }

  Figure(Group group, Kind kind, String metric, String help, ToDoubleFunction<Figures> value) {
    this(group, kind, metric, null, help, value);
  }

  Figure(Reason reason, ToDoubleFunction<Figures> value) {
    this(Group.TRANSACTIONS, Kind.COUNTER, "aborts", reason, "Transactions aborted.", value);
  }

  Figure(
      Group group,
      Kind kind,
      String metric,
      Reason reason,
      String help,
      ToDoubleFunction<Figures> value) {
    this.group = group;
    this.kind = kind;
    this.metric = metric;
    this.reason = reason;
    this.help = help;
    this.value = value;
  }

  /** Its value among the figures of a moment. */
  double in(Figures figures) {
    return value.applyAsDouble(figures);
  }

  /** A number without fraction, exact below 2^53. */
  long count(Figures figures) {
    return (long) in(figures);
  }
}
