package io.retso.member;

import io.retso.log.CommitLog;
import io.retso.sequencer.Sequencer;
import java.util.concurrent.CompletableFuture;

/** What a member leads with, from a take-over until it is deposed. Of the member's thread. */
public interface Term {
  /** Makes terms, over one oracle and one after the other. */
  interface Maker {
    /**
     * Makes the next term, before the log is taken over: it allocates the buffers.
     *
     * @param replies what its sequencer reports to
     */
    Term next(Sequencer.Replies replies);

    /**
     * Does in the background, with something else, what a leader does: the first time takes long.
     *
     * @return completes in any case, within a bounded time, on any thread
     */
    default CompletableFuture<Void> rehearse() {
      return CompletableFuture.completedFuture(null);
    }
  }

  /** The sequencer, which is not started. */
  Sequencer sequencer();

  /** What the log must report to. */
  default CommitLog.Listener listener() {
    return sequencer();
  }

  /**
   * The log as the sequencer is to see it. The member starts the sequencer then.
   *
   * @param taken the log that was taken over
   * @param lastPosition the position of its last entry
   */
  default CommitLog begin(CommitLog taken, long lastPosition) {
    return taken;
  }
}
