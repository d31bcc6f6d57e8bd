package io.retso.hbase;

import java.util.concurrent.atomic.LongAdder;

/** What a transaction manager counts, since it was built. Thread-safe. */
final class Counters {
  final LongAdder begun = new LongAdder();
  final LongAdder currentReads = new LongAdder();
  final LongAdder extendedSnapshots = new LongAdder();
  final LongAdder changedSnapshots = new LongAdder();
  final LongAdder committed = new LongAdder();
  final LongAdder conflicts = new LongAdder();
  final LongAdder tooOld = new LongAdder();
  final LongAdder rolledBack = new LongAdder();
  final LongAdder unknown = new LongAdder();
  final LongAdder retries = new LongAdder();
  final LongAdder writeBatches = new LongAdder();
  final LongAdder statusQueries = new LongAdder();
  final LongAdder rowsReadAgain = new LongAdder();
  final LongAdder cleanedUp = new LongAdder();
  final LongAdder rowsCleaned = new LongAdder();
  final LongAdder cleanupsFailed = new LongAdder();
  final LongAdder orphansCleaned = new LongAdder();
  final LongAdder orphansDropped = new LongAdder();
  final LongAdder sweeps = new LongAdder();
  final LongAdder sweepsFailed = new LongAdder();
}
