package io.retso.sequencer;

import io.retso.log.LogException;
import io.retso.log.MemoryLog;
import io.retso.oracle.StatusOracle;

/** A sequencer for tests of what is done to one, not of what becomes of its replies. */
public final class SmallSequencer {
  private SmallSequencer() {}

  /** One without a log, that runs; its replies reach no client. */
  public static Sequencer start() {
    Sequencer sequencer =
        new Sequencer(
            SequencerSettings.withoutLog(2, 1 << 16),
            changes -> new StatusOracle(100, 1 << 12, 100, changes),
            new Sequencer.Replies() {
              @Override
              public void durable(long position) {}

              @Override
              public void failed(LogException cause) {}
            });
    sequencer.start(new MemoryLog(sequencer), 0);
    return sequencer;
  }
}
