package io.retso.hbase.trace;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.context.Context;

/** A span of what goes on behind transactions. Thread-safe. */
record BackgroundSpan(Span span, Context outside) implements BackgroundTrace {
  @Override
  public TraceContext context() {
    return new OpenTelemetryContext(outside.with(span));
  }

  @Override
  public void end(Throwable failure) {
    OpenTelemetryTracing.end(span, failure);
  }
}
