package io.retso.simulator;

/**
 * An answer of a server, with what was true when it was decided.
 *
 * @param outcome the number that the client gets
 * @param windowLow below this the server remembered only uncleaned commits
 * @param hadMarks whether the transaction had pending marks in the table
 * @param mayRefuse whether a client could have more than its share of uncleaned commits
 */
record Answer(long outcome, long windowLow, boolean hadMarks, boolean mayRefuse) {}
