package io.retso.hbase.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** An SDK of this process that keeps spans in memory, until it is closed. Thread-safe. */
final class InstalledSdk implements AutoCloseable {
  private static final String OURS = "io.retso.hbase";

  private final InMemorySpanExporter spans = InMemorySpanExporter.create();
  private final SdkTracerProvider provider =
      SdkTracerProvider.builder().addSpanProcessor(SimpleSpanProcessor.create(spans)).build();

  /** Installs it, in place of what HBase's threads have found, or find at the same moment. */
  InstalledSdk() {
    OpenTelemetrySdk sdk = OpenTelemetrySdk.builder().setTracerProvider(provider).build();
    for (boolean installed = false; !installed; ) {
      GlobalOpenTelemetry.resetForTest();
      try {
        GlobalOpenTelemetry.set(sdk);
        installed = true;
      } catch (IllegalStateException e) {
        Thread.onSpinWait(); // a thread of HBase was quicker, and has settled on none
      }
    }
  }

  /** Those that have ended, in the order of their ends. */
  List<SpanData> ended() {
    return spans.getFinishedSpanItems();
  }

  /** Those of ours with that name. */
  List<SpanData> ended(String name) {
    return ended().stream().filter(span -> isOurs(span) && span.getName().equals(name)).toList();
  }

  /** The only one of ours with that name. */
  SpanData only(String name) {
    List<SpanData> found = ended(name);
    assertEquals(1, found.size(), () -> name + " among " + ended());
    return found.get(0);
  }

  Map<String, SpanData> byId() {
    Map<String, SpanData> byId = new HashMap<>();
    ended().forEach(span -> byId.put(span.getSpanId(), span));
    return byId;
  }

  static boolean isOurs(SpanData span) {
    return span.getInstrumentationScopeInfo().getName().equals(OURS);
  }

  @Override
  public void close() {
    GlobalOpenTelemetry.resetForTest();
    provider.close();
  }
}
