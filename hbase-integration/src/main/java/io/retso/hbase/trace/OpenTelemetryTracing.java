package io.retso.hbase.trace;

import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.api.trace.TracerProvider;
import io.opentelemetry.context.Context;
import io.retso.client.OracleMembers;
import java.util.Locale;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Spans for an SDK. Thread-safe. */
final class OpenTelemetryTracing implements Tracing {
  private static final String SCOPE = "io.retso.hbase";

  /** Links of one span, as many as SDKs keep by default. */
  private static final int LINKS_MAX = 128;

  private final Tracer tracer;
  private final Supplier<OracleMembers> members;

  private OpenTelemetryTracing(Tracer tracer, Supplier<OracleMembers> members) {
    this.tracer = tracer;
    this.members = members;
  }

  static Tracing ofProcess(Supplier<OracleMembers> members) {
    TracerProvider provider = GlobalOpenTelemetry.getTracerProvider();
    return provider == TracerProvider.noop()
        ? NONE
        : new OpenTelemetryTracing(provider.get(SCOPE), members);
  }

  @Override
  public TransactionTrace run(String name, String isolation, boolean isReadOnly) {
    return new TransactionSpan(this, builder(Names.RUN, name, isolation, isReadOnly), true);
  }

  @Override
  public TransactionTrace transaction(String name, String isolation, boolean isReadOnly) {
    return new TransactionSpan(
        this, builder(Names.TRANSACTION, name, isolation, isReadOnly), false);
  }

  private SpanBuilder builder(String kind, String name, String isolation, boolean isReadOnly) {
    SpanBuilder builder =
        tracer
            .spanBuilder(name.isEmpty() ? kind : kind + " " + name)
            .setAttribute(Names.ISOLATION, isolation.toLowerCase(Locale.ROOT))
            .setAttribute(Names.READ_ONLY, Boolean.valueOf(isReadOnly));
    return name.isEmpty() ? builder : builder.setAttribute(Names.NAME, name);
  }

  /** A request to the oracle. */
  SpanBuilder request(String name, Context parent) {
    return tracer.spanBuilder(name).setSpanKind(SpanKind.CLIENT).setParent(parent);
  }

  @Override
  public BackgroundTrace cleanup(int rows, Supplier<Stream<TraceContext>> commits) {
    SpanBuilder builder = tracer.spanBuilder(Names.CLEANUP).setNoParent();
    commits
        .get()
        .distinct()
        .filter(OpenTelemetryContext.class::isInstance)
        .limit(LINKS_MAX)
        .forEach(commit -> builder.addLink(((OpenTelemetryContext) commit).span()));
    Span span = builder.setAttribute(Names.ROWS, Long.valueOf(rows)).startSpan();
    return new BackgroundSpan(span, Context.root());
  }

  @Override
  public BackgroundTrace sweep() {
    return new BackgroundSpan(tracer.spanBuilder(Names.SWEEP).startSpan(), Context.current());
  }

  /** Notes which server was asked: the leader, or the last one if there is none now. */
  void setLeader(Span span) {
    if (!span.isRecording()) {
      return;
    }
    String leader = members.get().leader();
    int colon = leader.lastIndexOf(':');
    if (colon > 0) {
      span.setAttribute(Names.ADDRESS, leader.substring(0, colon));
      span.setAttribute(Names.PORT, Long.valueOf(leader.substring(colon + 1)));
    }
  }

  /** What goes into {@code error.type}. */
  static String typeOf(Throwable failure) {
    boolean isWrapped = failure instanceof CompletionException && failure.getCause() != null;
    return (isWrapped ? failure.getCause() : failure).getClass().getName();
  }

  static void end(Span span, Throwable failure) {
    if (failure != null) {
      span.setStatus(StatusCode.ERROR);
      span.setAttribute(Names.ERROR, typeOf(failure));
    }
    span.end();
  }
}
