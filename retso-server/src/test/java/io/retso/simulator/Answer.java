package io.retso.simulator;

/**
 * An answer of a server, with what was true when it was decided.
 *
 * @param outcome the number that the client gets
 * @param epoch of the server
 * @param windowLow below this the server remembered only uncleaned commits
 * @param hadMarks whether the transaction had pending marks in the table
 * @param uncleanedFull whether the limit of uncleaned commits was reached
 */
record Answer(long outcome, int epoch, long windowLow, boolean hadMarks, boolean uncleanedFull) {}
