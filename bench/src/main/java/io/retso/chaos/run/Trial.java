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
 */
public record Trial(
    String fault,
    String what,
    double from,
    double to,
    double beginGap,
    double commitGap,
    double worstBeginGap,
    double worstCommitGap) {}
