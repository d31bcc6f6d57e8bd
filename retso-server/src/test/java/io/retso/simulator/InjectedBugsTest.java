package io.retso.simulator;

import static org.junit.jupiter.api.Assertions.fail;

import io.retso.front.FrontDesk;
import io.retso.log.CommitLog;
import io.retso.log.ForwardedLog;
import io.retso.log.LedgerLog;
import io.retso.log.LogException;
import io.retso.oracle.Changes;
import io.retso.oracle.ForwardedChanges;
import io.retso.oracle.StatusOracle;
import io.retso.protocol.Outcome;
import io.retso.protocol.Timestamps;
import io.retso.sequencer.Recovery;
import io.retso.sequencer.Sequencer;
import io.retso.server.ClockFollower;
import java.nio.ByteBuffer;
import java.util.function.Supplier;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Known bugs, each of which the simulator must catch: otherwise its silence means nothing. */
class InjectedBugsTest {
  private static final int SEEDS_MAX = 1_500;
  private static final long OPERATIONS = 5_000;

  /** A rule that is broken, and the part that breaks it. */
  enum Bug {
    NO_NULL_WRITE(SequencerBug.NoNullWrite::new),
    REPLY_BEFORE_ACKNOWLEDGEMENT(SequencerBug.Early::new),
    FORGOTTEN_RESERVATION(SequencerBug.NoReservation::new),
    SEGMENT_WITHOUT_A_RESERVATION(SequencerBug.NoReservationInSegment::new),
    HOLE_A_ALGORITHM_3_AS_PRINTED(OracleBug.NoForcedAbort::new),
    HOLE_B_OPEN_IS_NOT_COMMITTED_FOR_EVER(OracleBug.OpenIsAborted::new),
    HOLE_B_RETRY_FOR_OPEN(OracleBug.OpenIsRetry::new),
    HOLE_C_UNCLEANED_FORGOTTEN(OracleBug.Forgetful::new),
    UNCLEANED_MISSING_IN_SNAPSHOT(OracleBug.NoSnapshot::new),
    TIMESTAMP_NOT_ISSUED(OracleBug.TimestampUnissued::new),
    TIMESTAMP_BEFORE_ITS_RESERVATION(SequencerBug.EarlyTimestamp::new),
    POSITION_OF_THE_REQUEST_BEFORE(SequencerBug.StalePosition::new),
    REPLY_OVERTAKES_IN_ITS_LANE(FrontBug::withoutOrder),
    WATERMARK_NOT_LOGGED(OracleBug.WatermarkUnlogged::new),
    REPEAT_JUDGED_AS_FIRST(OracleBug.NoRepeats::new),
    EXPIRY_NOT_LOGGED(SequencerBug.NoExpiryRecord::new),
    SWEEP_NOT_LOGGED(OracleBug.SweepsUnlogged::new),
    WATERMARK_IGNORES_THE_UNCLEANED(OracleBug.WatermarkOfWindow::new),
    CLOCK_FOLLOWED_AT_ONCE(UnboundClock::new),
    SWEEP_STAMP_TAKEN_LAST(LateSweepStamp::new),
    REPEATS_NOT_FLAGGED(ClientBug::withoutFlags),
    EPOCH_OVERLOOKED(ClientBug::withoutEpochs),
    ANSWER_OF_AN_OLD_CONNECTION(ClientBug::withMixedConnections),
    UNKNOWN_TOLD_AS_ABORTED(() -> ClientBug.telling(Outcome.ABORTED)),
    UNKNOWN_TOLD_AS_NOT_SENT(() -> ClientBug.telling(SimulatedClient.NOT_SENT)),
    TRIMMED_TOO_EARLY(LogBug::trimsEverything),
    RECOVERY_WITHOUT_FENCE(LogBug.NoFence::new),
    CATALOG_WITHOUT_COMPARE(LogBug.NoCompare::new),
    ZOMBIES_LEDGER_DELETED(LogBug.NoRetention::new),
    OPEN_TRANSACTIONS_ABORTED_BY_RECOVERY(RecoveryBug.AbortsTheOpen::new),
    RESERVATION_NOT_RECOVERED(RecoveryBug.NoFinish::new),
    LAST_ENTRY_NOT_REPLAYED(RecoveryBug.DropsEntries::new);

    private final Supplier<Parts> parts;

    Bug(Supplier<Parts> parts) {
      this.parts = parts;
    }
  }

  @ParameterizedTest
  @EnumSource
  void isCaught(Bug bug) {
    for (int seed = 1; seed <= SEEDS_MAX; seed++) {
      try {
        new World(seed, bug.parts.get()).run(OPERATIONS);
      } catch (AssertionError | IllegalStateException caught) { // the judge, or an assertion
        System.out.println(bug + ": seed " + seed + ", " + caught.getMessage());
        return;
      }
    }
    fail(bug + " stays hidden in " + SEEDS_MAX + " worlds of " + OPERATIONS + " operations");
  }

  /** The oracle is replaced. */
  private abstract static class OracleBug extends Parts {
    abstract StatusOracle make(Sizes s, Changes changes);

    @Override
    StatusOracle oracle(Sizes sizes, Changes changes) {
      return make(sizes, changes);
    }

    /** Transactions below the window are judged by their rows alone. */
    static final class NoForcedAbort extends OracleBug {
      @Override
      StatusOracle make(Sizes s, Changes changes) {
        return new StatusOracle(s.mapRows(), s.windowStamps(), s.uncleanedCommits(), changes) {
          @Override
          protected boolean isForcedAbort(long sequence) {
            return false;
          }
        };
      }
    }

    /** "Not committed for you" is said in words that mean "aborted". */
    static final class OpenIsAborted extends OracleBug {
      @Override
      StatusOracle make(Sizes s, Changes changes) {
        return new StatusOracle(s.mapRows(), s.windowStamps(), s.uncleanedCommits(), changes) {
          @Override
          protected long statusOfOpen(long sequence) {
            return Outcome.ABORTED;
          }
        };
      }
    }

    /** Algorithm 4, line 6, as printed: an open transaction is one of the missing ones. */
    static final class OpenIsRetry extends OracleBug {
      @Override
      StatusOracle make(Sizes s, Changes changes) {
        return new StatusOracle(s.mapRows(), s.windowStamps(), s.uncleanedCommits(), changes) {
          @Override
          protected long statusOfOpen(long sequence) {
            return Outcome.RETRY;
          }
        };
      }
    }

    /** What left the window is not looked up among the uncleaned commits. */
    static final class Forgetful extends OracleBug {
      @Override
      StatusOracle make(Sizes s, Changes changes) {
        return new StatusOracle(s.mapRows(), s.windowStamps(), s.uncleanedCommits(), changes) {
          @Override
          protected long statusBeforeWindow(long sequence) {
            return Outcome.RETRY;
          }
        };
      }
    }

    /** The next commit gets the timestamp that a reader has. */
    static final class TimestampUnissued extends OracleBug {
      @Override
      StatusOracle make(Sizes s, Changes changes) {
        return new StatusOracle(s.mapRows(), s.windowStamps(), s.uncleanedCommits(), changes) {
          @Override
          protected void issueToNobody() {}
        };
      }
    }

    /** Segments begin without the uncleaned commits of the time before. */
    static final class NoSnapshot extends OracleBug {
      @Override
      StatusOracle make(Sizes s, Changes changes) {
        return new StatusOracle(s.mapRows(), s.windowStamps(), s.uncleanedCommits(), changes) {
          @Override
          public boolean snapshotOn(int places, int commits, UncleanedVisitor visitor) {
            return true;
          }
        };
      }
    }

    /** The low watermark is that of the window alone. */
    static final class WatermarkOfWindow extends OracleBug {
      @Override
      StatusOracle make(Sizes s, Changes changes) {
        return new StatusOracle(s.mapRows(), s.windowStamps(), s.uncleanedCommits(), changes) {
          @Override
          protected long lowestUncleaned() {
            return Long.MAX_VALUE;
          }
        };
      }
    }

    /** What a sweep finished is not finished for a successor. */
    static final class SweepsUnlogged extends OracleBug {
      @Override
      StatusOracle make(Sizes s, Changes changes) {
        Changes forgetful =
            new ForwardedChanges() {
              @Override
              protected Changes target() {
                return changes;
              }

              @Override
              public void swept(long below) {}
            };
        return new StatusOracle(s.mapRows(), s.windowStamps(), s.uncleanedCommits(), forgetful);
      }
    }

    /** The watermark passed timestamps of readers, and a successor takes them for transactions. */
    static final class WatermarkUnlogged extends OracleBug {
      @Override
      StatusOracle make(Sizes s, Changes changes) {
        Changes forgetful =
            new ForwardedChanges() {
              @Override
              protected Changes target() {
                return changes;
              }

              @Override
              public void watermark(long below) {}
            };
        return new StatusOracle(s.mapRows(), s.windowStamps(), s.uncleanedCommits(), forgetful);
      }
    }

    /** A repeated commit that is no longer remembered is said to be aborted. */
    static final class NoRepeats extends OracleBug {
      @Override
      StatusOracle make(Sizes s, Changes changes) {
        return new StatusOracle(s.mapRows(), s.windowStamps(), s.uncleanedCommits(), changes) {
          @Override
          protected long decidedBeforeWindow(long sequence, boolean repeat) {
            return super.decidedBeforeWindow(sequence, false);
          }
        };
      }
    }
  }

  /** The sequencer is replaced. */
  private abstract static class SequencerBug extends Parts {

    /** Section 3.3: answers to queries leave without waiting for what they rest on. */
    static final class NoNullWrite extends SequencerBug {
      @Override
      Sequencer sequencer(Sizes sizes, Sequencer.OracleMaker maker, Sequencer.Replies replies) {
        return new Sequencer(sizes.sequencer(), maker, replies) {
          @Override
          protected long queryPosition() {
            return 0;
          }
        };
      }
    }

    /** A successor may commit below the timestamp that a reader has. */
    static final class EarlyTimestamp extends SequencerBug {
      @Override
      Sequencer sequencer(Sizes sizes, Sequencer.OracleMaker maker, Sequencer.Replies replies) {
        return new Sequencer(sizes.sequencer(), maker, replies) {
          @Override
          protected long timestampPosition() {
            return 0;
          }
        };
      }
    }

    /** The position of start timestamps is asked for before they are issued. */
    static final class StalePosition extends SequencerBug {
      @Override
      Sequencer sequencer(Sizes sizes, Sequencer.OracleMaker maker, Sequencer.Replies replies) {
        return new Sequencer(sizes.sequencer(), maker, replies) {
          private long before;

          @Override
          protected long startsPosition() {
            long asked = before;
            before = super.startsPosition();
            return asked;
          }
        };
      }
    }

    /** Replies leave before their entry is acknowledged. */
    static final class Early extends SequencerBug {
      @Override
      Sequencer sequencer(Sizes sizes, Sequencer.OracleMaker maker, Sequencer.Replies replies) {
        return new Sequencer(sizes.sequencer(), maker, replies) {
          @Override
          protected long decisionPosition() {
            return super.decisionPosition() - 1;
          }

          @Override
          protected long queryPosition() {
            return super.decisionPosition();
          }
        };
      }
    }

    /** The time limit aborts transactions without telling the log. */
    static final class NoExpiryRecord extends SequencerBug {
      @Override
      Sequencer sequencer(Sizes sizes, Sequencer.OracleMaker maker, Sequencer.Replies replies) {
        return new Sequencer(sizes.sequencer(), maker, replies) {
          @Override
          protected void logExpiry(long below) {}
        };
      }
    }

    /** A reservation that lasts is not written again when a segment begins. */
    static final class NoReservationInSegment extends SequencerBug {
      @Override
      Sequencer sequencer(Sizes sizes, Sequencer.OracleMaker maker, Sequencer.Replies replies) {
        return new Sequencer(sizes.sequencer(), maker, replies) {
          private long reserved;

          @Override
          protected void logReservation(long timestamp) {
            long half = (long) sizes.sequencer().reservationStamps() << Timestamps.GAP_BITS - 1;
            if (timestamp - half > reserved) {
              reserved = timestamp;
              super.logReservation(timestamp);
            }
          }
        };
      }
    }

    /** Stamps are used that no record reserves. */
    static final class NoReservation extends SequencerBug {
      @Override
      Sequencer sequencer(Sizes sizes, Sequencer.OracleMaker maker, Sequencer.Replies replies) {
        return new Sequencer(sizes.sequencer(), maker, replies) {
          @Override
          protected void logReservation(long timestamp) {}
        };
      }
    }
  }

  /** The front is replaced. */
  private static final class FrontBug {
    /** What waited for the log leaves before what has waited for the end of its burst. */
    static Parts withoutOrder() {
      return new Parts() {
        @Override
        FrontDesk frontDesk(
            FrontDesk.Settings settings, FrontDesk.Loop loop, FrontDesk.Owner owner) {
          return new FrontDesk(settings, loop, owner) {
            @Override
            protected boolean keepsOrder() {
              return false;
            }
          };
        }
      };
    }
  }

  /** Timestamps go to where the clock is, whoever is open. */
  private static final class UnboundClock extends Parts {
    @Override
    void follow(ClockFollower clock, Sequencer sequencer, long nowMillis) {
      sequencer.passTo(Timestamps.atLeast(nowMillis));
      sequencer.flush();
    }
  }

  /** A sweep reports a timestamp that it took after it had gone over the marks. */
  private static final class LateSweepStamp extends Parts {
    @Override
    boolean sweepStampIsTakenFirst() {
      return false;
    }
  }

  /** The log or what it stands on is replaced. */
  private abstract static class LogBug extends Parts {
    /** The log lets go of segments that a recovery still needs. */
    static Parts trimsEverything() {
      return new Parts() {
        @Override
        CommitLog log(LedgerLog log) {
          return new ForwardedLog() {
            @Override
            protected CommitLog target() {
              return log;
            }

            @Override
            public void startSegment(long startTimestamp, long windowStart) {
              super.startSegment(startTimestamp, Long.MAX_VALUE);
            }
          };
        }
      };
    }

    static final class NoFence extends LogBug {
      @Override
      boolean fences() {
        return false;
      }
    }

    static final class NoCompare extends LogBug {
      @Override
      boolean comparesCatalog() {
        return false;
      }
    }

    /** A deposed writer may append to a ledger that was deleted together with its fence. */
    static final class NoRetention extends LogBug {
      @Override
      long retentionNanos() {
        return 0;
      }
    }
  }

  /** Recovery is replaced. */
  private abstract static class RecoveryBug extends Parts {
    /** What was open at a crash is no longer in the window: safe, and useless. */
    static final class AbortsTheOpen extends RecoveryBug {
      private StatusOracle newest;

      @Override
      StatusOracle oracle(Sizes sizes, Changes changes) {
        newest = super.oracle(sizes, changes);
        return newest;
      }

      @Override
      void finish(Recovery recovery, long firstTimestamp) throws LogException {
        newest.replay().windowLow(newest.nextTimestamp());
        super.finish(recovery, firstTimestamp);
      }
    }

    static final class NoFinish extends RecoveryBug {
      @Override
      void finish(Recovery recovery, long firstTimestamp) throws LogException {}
    }

    /** The end of the log is taken for a torn write. */
    static final class DropsEntries extends RecoveryBug {
      @Override
      LedgerLog.Replay replay(Recovery recovery) {
        return new LedgerLog.Replay() {
          private ByteBuffer last;

          @Override
          public void entry(ByteBuffer bytes) throws LogException {
            if (last != null) {
              recovery.entry(last);
            }
            last = ByteBuffer.allocate(bytes.remaining()).put(bytes).flip();
          }

          @Override
          public long segmentStart(ByteBuffer firstEntry) throws LogException {
            return recovery.segmentStart(firstEntry);
          }
        };
      }
    }
  }
}
