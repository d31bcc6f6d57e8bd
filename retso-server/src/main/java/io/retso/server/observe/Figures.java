package io.retso.server.observe;

import io.retso.member.Member;
import io.retso.net.NetCounters;
import io.retso.oracle.HotIds;
import io.retso.oracle.OracleCounters;
import io.retso.sequencer.SequencerCounters;
import java.util.List;

/**
 * All that the oracle's thread has counted, copied by it at one moment. Filled once by that thread
 * and never changed after it was handed on.
 */
public final class Figures {
  /** When they were copied, nanoseconds of the server's clock. */
  long nanos;

  /** What the server is among those that share its log. */
  public Member.View member = Member.View.alone(0);

  public OracleCounters oracle = new OracleCounters();

  /** The ids because of which most commits were refused lately. */
  public List<HotIds.Hot> hot = List.of();

  public SequencerCounters sequencer = new SequencerCounters();
  public NetCounters net = new NetCounters();

  /** Nanoseconds from a decision to the release of its reply, by requests. */
  public final BatchHistogram decisions = BatchHistogram.ofLatencies();

  /** Nanoseconds of the turns of the oracle's thread. */
  public final BatchHistogram turns = BatchHistogram.ofLatencies();

  /** Nanoseconds of processor time of the oracle's thread in its turns, at most. */
  public final BatchHistogram turnsCpu = BatchHistogram.ofLatencies();

  /** Nanoseconds from an append to its acknowledgement, by entries. */
  final BatchHistogram appends = BatchHistogram.ofLatencies();

  /** Bytes of the log's entries. */
  final BatchHistogram entrySizes = BatchHistogram.ofSizes();

  /** Entries that the log has not acknowledged. */
  long outstanding;

  /** How long the oldest of them waits, nanoseconds. */
  long oldestOutstandingNanos;

  /** For how long the leader's timestamps still leave at once if the log acknowledges nothing. */
  public long leaseNanos;

  /** Ledgers that hold the log, as its leader knows them. */
  int ledgers;

  /** Bytes that the leader has appended to the newest of them. */
  long ledgerBytes;

  /** Requests whose ticket was wrong. */
  public long refusedTickets;

  /** The time of day when they were copied, in milliseconds since 1970. */
  public long wallMillis;

  /** How far timestamps are behind the clock that they follow, milliseconds. */
  public long clockLagMillis;

  /** How long ago the oldest held snapshot was taken, in milliseconds; 0 without any. */
  long holdAgeMillis() {
    return oracle.holds == 0 ? 0 : Math.max(0, wallMillis - oracle.oldestHoldMillis);
  }
}
