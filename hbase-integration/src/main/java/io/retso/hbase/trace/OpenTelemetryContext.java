package io.retso.hbase.trace;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;

/**
 * A context of OpenTelemetry. Immutable.
 *
 * @param context may be the root: then what runs is kept apart from the span of its thread
 */
record OpenTelemetryContext(Context context) implements TraceContext {
  static TraceContext current() {
    Context context = Context.current();
    return context == Context.root() ? NONE : new OpenTelemetryContext(context);
  }

  /** Its span, for a link; not valid if it has none. */
  SpanContext span() {
    return Span.fromContext(context).getSpanContext();
  }

  @Override
  public <R, X extends Throwable> R call(Code<R, X> code) throws X {
    Scope scope = context.makeCurrent();
    try {
      return code.run();
    } finally {
      scope.close();
    }
  }
}
