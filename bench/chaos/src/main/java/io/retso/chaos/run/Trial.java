package io.retso.chaos.run;

/**
 * A fault that happened, and what clients noticed of it.
 *
 * @param fault its name
 * @param what was done
 * @param from when it began, seconds since the begin of the run
 * @param to when all clients were served again
 * @param beginGap for how long no begin of any client was answered, milliseconds
 * @param commitGap for how long no commit was
 * @param worstBeginGap the longest time that a single client waited for its next begin
 * @param worstCommitGap the same of commits
 * @param stoodStill for how long the process of the clients that are timed did not run, at most
 * @param takeOvers what the servers logged
 * @param lost acknowledged transfers that were missing afterwards, and were not before
 * @param wrong answers since the fault began
 */
public record Trial(
    String fault,
    String what,
    double from,
    double to,
    double beginGap,
    double commitGap,
    double worstBeginGap,
    double worstCommitGap,
    double stoodStill,
    TakeOvers takeOvers,
    long lost,
    long wrong) {
  /** This trial with something that is to be known of it. */
  public Trial noting(String note) {
    return new Trial(
        fault,
        what + "; " + note,
        from,
        to,
        beginGap,
        commitGap,
        worstBeginGap,
        worstCommitGap,
        stoodStill,
        takeOvers,
        lost,
        wrong);
  }

  /** Take-overs for which there was no cause: a leader that was well lost its place. */
  public int needless() {
    return Math.max(0, takeOvers.leaders() - ClusterFaults.leadersExpected(fault));
  }
}
