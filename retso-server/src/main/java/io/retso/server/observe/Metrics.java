package io.retso.server.observe;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.model.registry.Collector;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;

/**
 * The server's metrics for Prometheus, described in {@code docs/metrics.md}. Every value is a
 * function of the last {@link Figures}: nothing here is touched by a transaction. Thread-safe.
 */
public final class Metrics implements AutoCloseable {
  private static final double NANOS_PER_SECOND = 1e9;

  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final JvmGcMetrics gc = new JvmGcMetrics();
  private final FigureReader reader;

  /** What one scrape shows, so that its values belong together. */
  private volatile Figures figures;

  /** Registers everything. */
  Metrics(FigureReader reader, Health health, ServerFacts facts) {
    this.reader = reader;
    this.figures = reader.read();
    transactions();
    memory();
    log();
    network();
    server(health, facts);
    new JvmMemoryMetrics().bindTo(registry);
    new JvmThreadMetrics().bindTo(registry);
    new ProcessorMetrics().bindTo(registry);
    new UptimeMetrics().bindTo(registry);
    new FileDescriptorMetrics().bindTo(registry);
    gc.bindTo(registry);
  }

  /** The page that Prometheus reads. */
  String scrape() {
    figures = reader.read();
    return registry.scrape();
  }

  private void transactions() {
    counter("retso.begins", "Start timestamps issued.", f -> f.oracle.begins);
    counter("retso.commits", "Transactions committed.", f -> f.oracle.commits);
    counter("retso.committed.rows", "Rows of committed transactions.", f -> f.oracle.rows);
    aborts("conflict", f -> f.oracle.conflicts);
    aborts("evicted", f -> f.oracle.evicted);
    aborts("forced", f -> f.oracle.forced);
    aborts("requested", f -> f.oracle.requested);
    counter(
        "retso.refusals",
        "Commit requests refused because too many commits are not cleaned up.",
        f -> f.oracle.refused);
    counter("retso.queries", "Status queries.", f -> f.oracle.queries);
    counter("retso.extensions", "Extensions of snapshots.", f -> f.oracle.extensions);
    refusedExtensions("conflict", f -> f.oracle.extensionsChanged);
    refusedExtensions("evicted", f -> f.oracle.extensionsEvicted);
    refusedExtensions("forced", f -> f.oracle.extensionsForced);
    counter("retso.cleanups", "Transactions reported as cleaned up.", f -> f.oracle.cleanups);
    counter(
        "retso.sweep.reports",
        "Sweeps of the tables reported: what committed before them is cleaned up.",
        f -> f.oracle.sweptReports);
    counter(
        "retso.expired.transactions",
        "Open transactions aborted because they were older than transaction.timeout.",
        f -> f.oracle.expired);
    counter(
        "retso.sweeps",
        "Open transactions that left the window: they can no longer commit.",
        f -> f.oracle.forcedSweeps);
    gauge(
        "retso.clock.lag.seconds",
        "How far timestamps are behind the clock that they follow.",
        f -> f.clockLagMillis / 1e3);
    gauge("retso.open.transactions", "Started and not decided.", f -> f.oracle.open);
    gauge(
        "retso.half.aborted.transactions",
        "Aborted, and their cleanup not reported.",
        f -> f.oracle.halfAborted);
    gauge(
        "retso.uncleaned.transactions",
        "Committed, and their cleanup not reported.",
        f -> f.oracle.uncleaned);
    gauge(
        "retso.uncleaned.transactions.limit",
        "The setting uncleaned.max.",
        f -> f.oracle.uncleanedCapacity);
    histogram(
        "retso_decision_seconds",
        "From a decision to the release of its reply, mostly the wait for the log.",
        f -> f.decisions,
        NANOS_PER_SECOND);
  }

  private void memory() {
    gauge("retso.map.rows", "Rows in the map.", f -> f.oracle.mapOccupied);
    gauge("retso.map.rows.limit", "Rows that fit into the map.", f -> f.oracle.mapCapacity);
    counter(
        "retso.map.evictions",
        "Rows that gave their place in the map to another.",
        f -> f.oracle.mapEvictions);
    gauge(
        "retso.tmax.lag.stamps",
        "Timestamps between now and T_max, the newest evicted row; a transaction takes two.",
        f -> f.oracle.mapTmaxLag);
    gauge(
        "retso.window.lag.stamps",
        "Timestamps between now and the oldest transaction that may still commit.",
        f -> f.oracle.windowLag);
    gauge(
        "retso.watermark.lag.stamps",
        "Timestamps between now and the oldest transaction that is open, or committed and not"
            + " cleaned up.",
        f -> f.oracle.watermarkLag);
  }

  private void log() {
    counter("retso.log.entries", "Entries appended to the log.", f -> f.sequencer.entries);
    histogram("retso_log_entry_bytes", "Sizes of the log's entries.", f -> f.entrySizes, 1);
    histogram(
        "retso_log_append_seconds",
        "From the append of an entry to its acknowledgement by the log.",
        f -> f.appends,
        NANOS_PER_SECOND);
    gauge("retso.log.outstanding.entries", "Entries not acknowledged yet.", f -> f.outstanding);
    gauge(
        "retso.log.oldest.outstanding.seconds",
        "How long the oldest entry that is not acknowledged has been waiting.",
        f -> f.oldestOutstandingNanos / NANOS_PER_SECOND);
    counter("retso.log.segments", "Segments (ledgers) started.", f -> f.sequencer.segments);
    counter(
        "retso.log.waits",
        "Times that a connection had to wait because the log was behind.",
        f -> f.net.logWaits);
  }

  private void network() {
    gauge("retso.connections", "Client connections open.", f -> f.net.connections);
    counter("retso.connections.accepted", "Connections accepted.", f -> f.net.accepted);
    counter("retso.connections.rejected", "Connections closed with an error.", f -> f.net.rejected);
    counter(
        "retso.connections.stalled",
        "Connections closed because the client did not read its replies.",
        f -> f.net.stalled);
    counter("retso.request.frames", "Request frames taken.", f -> f.net.frames);
    counter("retso.request.bytes", "Bytes received from clients.", f -> f.net.bytesIn);
    histogram(
        "retso_turn_seconds",
        "Turns of the oracle's thread: all that it does between two looks for requests.",
        f -> f.turns,
        NANOS_PER_SECOND);
  }

  private void server(Health health, ServerFacts facts) {
    gauge(
        "retso.serving",
        "1 while the server serves and its log acknowledges, otherwise 0.",
        f -> health.judge(f, reader.silentNanos()).serving() ? 1 : 0);
    gauge("retso.epoch", "Grows with every take-over of the log.", f -> facts.epoch());
    gauge(
        "retso.recovery.seconds",
        "How long the start took to take the log over and replay it.",
        f -> facts.recoverySeconds());
    gauge(
        "retso.recovered.transactions",
        "Commits replayed at the start.",
        f -> facts.recoveredTransactions());
  }

  private void counter(String name, String help, ToLongFunction<Figures> value) {
    FunctionCounter.builder(name, this, m -> value.applyAsLong(m.figures))
        .description(help)
        .register(registry);
  }

  private void aborts(String reason, ToLongFunction<Figures> value) {
    FunctionCounter.builder("retso.aborts", this, m -> value.applyAsLong(m.figures))
        .description("Transactions aborted.")
        .tag("reason", reason)
        .register(registry);
  }

  private void refusedExtensions(String reason, ToLongFunction<Figures> value) {
    FunctionCounter.builder("retso.changed.extensions", this, m -> value.applyAsLong(m.figures))
        .description("Extensions of snapshots answered with: changed.")
        .tag("reason", reason)
        .register(registry);
  }

  private void gauge(String name, String help, ToDoubleFunction<Figures> value) {
    Gauge.builder(name, this, m -> value.applyAsDouble(m.figures))
        .description(help)
        .register(registry);
  }

  /** Micrometer has no histogram that is a function of something, so this is one of Prometheus. */
  private void histogram(
      String name, String help, Function<Figures, BatchHistogram> value, double unit) {
    registry
        .getPrometheusRegistry()
        .register(
            new Collector() {
              @Override
              public MetricSnapshot collect() {
                BatchHistogram h = value.apply(figures);
                return HistogramSnapshot.builder()
                    .name(name)
                    .help(help)
                    .dataPoint(
                        HistogramDataPointSnapshot.builder()
                            .classicHistogramBuckets(
                                ClassicHistogramBuckets.of(h.boundsIn(unit), h.counts()))
                            .sum(h.sum() / unit)
                            .build())
                    .build();
              }
            });
  }

  @Override
  public void close() {
    gc.close();
    registry.close();
  }
}
