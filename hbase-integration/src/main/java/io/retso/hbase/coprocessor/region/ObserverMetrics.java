package io.retso.hbase.coprocessor.region;

import io.retso.hbase.coprocessor.hbase.HBaseInternals;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.apache.hadoop.hbase.metrics.Counter;
import org.apache.hadoop.hbase.metrics.Gauge;
import org.apache.hadoop.hbase.metrics.MetricRegistry;

/**
 * Figures of a region server, over all transactional regions. HBase publishes them with its other
 * metrics under the coprocessor's name; docs/operating-hbase.md says what each counts.
 */
public final class ObserverMetrics {
  public final Counter inDoubtRows;
  public final Counter oracleQueries;
  public final Counter oracleRounds;
  public final Counter marksAhead;
  public final Counter marksInMemory;
  public final Counter marksAsCells;
  public final Counter cleanedRows;
  public final Counter adopted;
  public final Counter notAdopted;
  public final Counter movedVersions;
  public final Counter droppedVersions;
  public final Counter purgedVersions;
  public final Counter purgedTombstones;
  public final Counter purgedDeletes;
  public final Counter refusedReads;
  public final Counter refusedWrites;
  public final Counter unprovedOutcomes;
  public final Counter falseOutcomes;
  public final Counter orphansQueued;
  public final Counter orphansDropped;

  private static final Set<String> KEPT = ConcurrentHashMap.newKeySet();

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
    unprovedOutcomes = registry.counter("unprovedOutcomes");
    falseOutcomes = registry.counter("falseOutcomes");
    orphansQueued = registry.counter("orphansQueued");
    orphansDropped = registry.counter("orphansDropped");
  }

  /**
   * Keeps a registry that is in use as long as the process runs: figures go on when the last region
   * closes and another one opens.
   */
  public static void keep(MetricRegistry registry) {
    HBaseInternals.keep(registry, KEPT);
  }

  /** Publishes a figure, unless there is one of that name. */
  public void gauge(String name, LongSupplier value) {
    Gauge<Long> gauge = value::getAsLong;
    registry.register(name, gauge);
  }
}
