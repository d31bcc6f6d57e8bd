package io.retso.workload.history;

import java.util.Map;

/**
 * A transaction that ended.
 *
 * @param number its own; that of every later one is higher
 * @param name of its program
 * @param decidedNanos when that was learned, by the clock of the JVM
 * @param committed otherwise it was refused for what it had read
 * @param reads the rows that it read before it wrote them, and which transactions had written what
 *     it found
 * @param writes the rows that it wrote, or was to write
 */
public record Recorded(
    long number,
    String name,
    long decidedNanos,
    boolean committed,
    Map<Integer, Long> reads,
    int[] writes) {}
