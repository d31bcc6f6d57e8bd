package io.retso.hbase.metrics;

import java.util.concurrent.atomic.LongAdder;

/** What a transaction manager counts, since it was built. Thread-safe. */
public final class Counters {
  public final LongAdder begun = new LongAdder();
  public final LongAdder currentReads = new LongAdder();
  public final LongAdder changedSnapshots = new LongAdder();
  public final LongAdder committed = new LongAdder();
  public final LongAdder conflicts = new LongAdder();
  public final LongAdder pivots = new LongAdder();
  public final LongAdder readOnlyRefusals = new LongAdder();
  public final LongAdder unknownSuccessors = new LongAdder();
  public final LongAdder abortedEarlier = new LongAdder();
  public final LongAdder tooOld = new LongAdder();
  public final LongAdder rolledBack = new LongAdder();
  public final LongAdder unknown = new LongAdder();
  public final LongAdder retries = new LongAdder();
  public final LongAdder writeBatches = new LongAdder();
  public final LongAdder statusQueries = new LongAdder();
  public final LongAdder rowsReadAgain = new LongAdder();
  public final LongAdder cleanedUp = new LongAdder();
  public final LongAdder rowsCleaned = new LongAdder();
  public final LongAdder rowsAdopted = new LongAdder();
  public final LongAdder cleanupsFailed = new LongAdder();
  public final LongAdder orphansCleaned = new LongAdder();
  public final LongAdder orphansDropped = new LongAdder();
  public final LongAdder sweeps = new LongAdder();
  public final LongAdder sweepsFailed = new LongAdder();
}
