package io.retso.server.observe;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Tags;
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
import java.util.Locale;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/**
 * The server's metrics for Prometheus, described in {@code docs/metrics.md}. Every value is a
 * function of the last {@link Figures}: nothing here is touched by a transaction. Thread-safe.
 */
public final class Metrics implements AutoCloseable {
  private static final String PREFIX = "retso.";
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
    for (Figure figure : Figure.values()) {
      register(figure);
    }
    histograms();
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

  private void register(Figure figure) {
    Tags tags =
        figure.reason == null
            ? Tags.empty()
            : Tags.of("reason", figure.reason.name().toLowerCase(Locale.ROOT));
    if (figure.kind == Figure.Kind.COUNTER) {
      FunctionCounter.builder(PREFIX + figure.metric, this, m -> figure.in(m.figures))
          .description(figure.help)
          .tags(tags)
          .register(registry);
    } else {
      gauge(PREFIX + figure.metric, figure.help, figure::in);
    }
  }

  private void histograms() {
    histogram(
        "retso_decision_seconds",
        "From a decision to the release of its reply, mostly the wait for the log.",
        f -> f.decisions,
        NANOS_PER_SECOND);
    histogram("retso_log_entry_bytes", "Sizes of the log's entries.", f -> f.entrySizes, 1);
    histogram(
        "retso_log_append_seconds",
        "From the append of an entry to its acknowledgement by the log.",
        f -> f.appends,
        NANOS_PER_SECOND);
    histogram(
        "retso_turn_seconds",
        "Turns of the oracle's thread: all that it does between two looks for requests.",
        f -> f.turns,
        NANOS_PER_SECOND);
    histogram(
        "retso_turn_cpu_seconds",
        "Processor time of the same, exact to a millisecond: the rest is waiting for a processor.",
        f -> f.turnsCpu,
        NANOS_PER_SECOND);
  }

  private void server(Health health, ServerFacts facts) {
    gauge(
        "retso.serving",
        "1 while the server leads and its log acknowledges, or is a ready standby; otherwise 0.",
        f -> health.judge(f, reader.silentNanos()).serving() ? 1 : 0);
    gauge(
        "retso.recovery.seconds",
        "How long the start took to replay the log, and to take it over if it did.",
        f -> facts.recoverySeconds());
    gauge(
        "retso.recovered.transactions",
        "Commits replayed at the start.",
        f -> facts.recoveredTransactions());
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
