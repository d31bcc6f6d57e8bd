package io.retso.hbase.coprocessor.region;

import java.util.function.LongSupplier;
import org.apache.hadoop.hbase.metrics.Counter;
import org.apache.hadoop.hbase.metrics.Gauge;
import org.apache.hadoop.hbase.metrics.MetricRegistry;

/**
 * Figures of a region server, over all transactional regions. HBase publishes them with its other
 * metrics (JMX, {@code /jmx} of the region server's web interface), under the coprocessor's name.
 */
public final class ObserverMetrics {
  /** Rows in which a snapshot read met versions that may be pending. */
  public final Counter inDoubtRows;

  /** Questions to the oracle about writers. */
  public final Counter oracleQueries;

  /** Times that a read waited for the oracle to answer such questions. */
  public final Counter oracleRounds;

  /** Marks that scans looked at ahead of the rows in doubt, and deletes of such marks. */
  public final Counter marksAhead;

  /** Marks of writes that are in the log and in the memory of the region only. */
  public final Counter marksInMemory;

  /** Marks of writes that were put as cells. */
  public final Counter marksAsCells;

  /** Rows whose mark was removed by a cleanup. */
  public final Counter cleanedRows;

  /** Transactions whose outcome a region adopted for all rows that they wrote there. */
  public final Counter adopted;

  /** Transactions for which a region was asked to, and whose rows are cleaned up one by one. */
  public final Counter notAdopted;

  /** Versions of adopted transactions that flushes wrote at their commit timestamp. */
  public final Counter movedVersions;

  /** Versions of adopted transactions that flushes dropped, as they were aborted or deleted. */
  public final Counter droppedVersions;

  /** Versions that flushes and compactions dropped because newer ones cover them. */
  public final Counter purgedVersions;

  /** Tombstones that compactions dropped. */
  public final Counter purgedTombstones;

  /** Delete markers of cleanups that flushes and compactions dropped: their cells were gone. */
  public final Counter purgedDeletes;

  /** Snapshot reads that were refused because the snapshot is below the horizon. */
  public final Counter refusedReads;

  /** Transactional writes that were refused: below the horizon, or decided already. */
  public final Counter refusedWrites;

  /** Rows queued for cleanup, by reads or flushes and compactions. */
  public final Counter orphansQueued;

  /** Rows that were not queued because the queue was full. A later read or flush finds them. */
  public final Counter orphansDropped;

  private final MetricRegistry registry;

  /** Counters of {@code registry}, which are created when first asked for. */
  public ObserverMetrics(MetricRegistry registry) {
    this.registry = registry;
    inDoubtRows = registry.counter("inDoubtRows");
    oracleQueries = registry.counter("oracleQueries");
    oracleRounds = registry.counter("oracleRounds");
    marksAhead = registry.counter("marksAhead");
    marksInMemory = registry.counter("marksInMemory");
    marksAsCells = registry.counter("marksAsCells");
    cleanedRows = registry.counter("cleanedRows");
    adopted = registry.counter("adopted");
    notAdopted = registry.counter("notAdopted");
    movedVersions = registry.counter("movedVersions");
    droppedVersions = registry.counter("droppedVersions");
    purgedVersions = registry.counter("purgedVersions");
    purgedTombstones = registry.counter("purgedTombstones");
    purgedDeletes = registry.counter("purgedDeletes");
    refusedReads = registry.counter("refusedReads");
    refusedWrites = registry.counter("refusedWrites");
    orphansQueued = registry.counter("orphansQueued");
    orphansDropped = registry.counter("orphansDropped");
  }

  /** Publishes a figure, unless there is one of that name. */
  public void gauge(String name, LongSupplier value) {
    Gauge<Long> gauge = value::getAsLong;
    registry.register(name, gauge);
  }
}
