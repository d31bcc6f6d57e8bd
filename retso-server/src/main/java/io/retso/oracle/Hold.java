package io.retso.oracle;

/**
 * A snapshot that is held, as the log has it.
 *
 * @param name for people; no two that are held have the same one
 * @param timestamp of the snapshot
 * @param call the number of the call that took it: a repetition of that gets the same snapshot
 * @param ttlMillis for how long it lasts if it is not renewed
 * @param sinceMillis when it was taken, by the wall clock of the server that led then; nothing is
 *     decided by it
 */
public record Hold(String name, long timestamp, long call, long ttlMillis, long sinceMillis) {}
