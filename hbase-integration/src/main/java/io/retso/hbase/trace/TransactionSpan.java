package io.retso.hbase.trace;

import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.ContextKey;
import io.retso.client.CommitSteps;
import io.retso.client.TransactionHandle;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/** The span of a run, or of one transaction. Thread-safe. */
final class TransactionSpan implements TransactionTrace {
  /** Tells a context that is within the span from those of others. */
  private static final ContextKey<TransactionSpan> WITHIN = ContextKey.named("retso-transaction");

  private final OpenTelemetryTracing tracing;
  private final boolean isRun;
  private final Context caller = Context.current();
  private final Span span;
  private final Context context;

  /** Number of the attempt that goes on. */
  private volatile int attempt = 1;

  /** A span that begins here. */
  TransactionSpan(OpenTelemetryTracing tracing, SpanBuilder builder, boolean isRun) {
    this.tracing = tracing;
    this.isRun = isRun;
    this.span = builder.setParent(caller).startSpan();
    this.context = caller.with(span).with(WITHIN, this);
  }

  @Override
  public TraceContext context() {
    return new OpenTelemetryContext(context);
  }

  @Override
  public TraceContext caller() {
    return new OpenTelemetryContext(caller);
  }

  @Override
  public TraceContext atCall() {
    return new OpenTelemetryContext(now());
  }

  private Context now() {
    Context current = Context.current();
    return current.get(WITHIN) == this ? current : context;
  }

  @Override
  public <T> Supplier<CompletableFuture<T>> called(Supplier<CompletableFuture<T>> operation) {
    TraceContext calling = new OpenTelemetryContext(Context.current());
    TraceContext place = atCall();
    return () -> calling.kept(place.call(operation::get));
  }

  @Override
  public Supplier<CompletableFuture<TransactionHandle>> begin(
      Supplier<CompletableFuture<TransactionHandle>> ask) {
    return request(
        Names.BEGIN,
        asked -> ask.get(),
        (begin, handle) ->
            begin.setAttribute(Names.START_TIMESTAMP, Long.valueOf(handle.startTimestamp())),
        (begin, failure) -> {
          if (failure != null && !isRun) {
            close(failure);
          }
        });
  }

  @Override
  public CompletableFuture<Long> commit(
      int rows,
      Function<Consumer<CommitSteps>, CompletableFuture<Long>> commit,
      Function<Throwable, String> outcome) {
    return request(
            Names.COMMIT,
            asked -> commit.apply(asked.isRecording() ? steps -> put(steps, asked) : null),
            (span, timestamp) -> span.setAttribute(Names.COMMIT_TIMESTAMP, timestamp),
            (span, failure) -> {
              span.setAttribute(Names.ROWS, Long.valueOf(rows));
              span.setAttribute(Names.OUTCOME, outcome.apply(failure));
            })
        .get();
  }

  private static void put(CommitSteps steps, Span span) {
    span.setAttribute(Names.DECIDED, micros(steps.decided()));
    span.setAttribute(Names.LOGGED, micros(steps.logged()));
    span.setAttribute(Names.ANSWERED, micros(steps.answered()));
  }

  private static Long micros(Duration time) {
    return Long.valueOf(TimeUnit.MICROSECONDS.convert(time));
  }

  /**
   * A request with a span, which is current while it is made.
   *
   * @param answered takes the answer, if there is one
   * @param ended is called in any case, with null if there is an answer
   */
  private <T> Supplier<CompletableFuture<T>> request(
      String name,
      Function<Span, CompletableFuture<T>> ask,
      BiConsumer<Span, T> answered,
      BiConsumer<Span, Throwable> ended) {
    return () -> {
      Context parent = now();
      TraceContext calling = new OpenTelemetryContext(Context.current());
      Span asked =
          tracing
              .request(name, parent)
              .setAttribute(Names.ATTEMPT, Long.valueOf(attempt))
              .startSpan();
      BiConsumer<T, Throwable> end =
          (answer, failure) -> {
            if (failure == null) {
              answered.accept(asked, answer);
            }
            ended.accept(asked, failure);
            tracing.setLeader(asked);
            OpenTelemetryTracing.end(asked, failure);
          };
      CompletableFuture<T> answer;
      try {
        answer = new OpenTelemetryContext(parent.with(asked)).call(() -> ask.apply(asked));
      } catch (RuntimeException | Error e) {
        end.accept(null, e);
        throw e;
      }
      return calling.kept(answer.whenComplete(end));
    };
  }

  @Override
  public void refused(ConflictPlace met) {
    AttributesBuilder attributes = Attributes.builder().put(Names.ATTEMPT, Long.valueOf(attempt));
    if (met != null) {
      put(attributes.put(Names.TABLE, met.table()).put(Names.USE, met.use()), met);
    }
    span.addEvent(Names.CONFLICT_EVENT, attributes.build());
  }

  private static void put(AttributesBuilder attributes, ConflictPlace met) {
    attributes.put(Names.ROW, met.row());
    if (met.stopRow() != null) {
      attributes.put(Names.STOP_ROW, met.stopRow());
    }
    if (met.column() != null) {
      attributes.put(Names.COLUMN, met.column());
    }
    met.commitTimestamp()
        .ifPresent(commit -> attributes.put(Names.COMMIT_TIMESTAMP, Long.valueOf(commit)));
  }

  @Override
  public void retried(long pauseMillis, Throwable failure) {
    span.addEvent(
        Names.RETRY_EVENT,
        Attributes.of(
            Names.ATTEMPT,
            Long.valueOf(attempt),
            Names.PAUSE,
            Long.valueOf(pauseMillis),
            Names.ERROR,
            OpenTelemetryTracing.typeOf(failure)));
    attempt++; // by one thread at a time: attempts follow each other
  }

  @Override
  public void ended(String outcome, Throwable failure) {
    span.setAttribute(Names.OUTCOME, outcome);
    if (!isRun) {
      close(failure);
    }
  }

  @Override
  public void close(Throwable failure) {
    span.setAttribute(Names.ATTEMPTS, Long.valueOf(attempt));
    OpenTelemetryTracing.end(span, failure);
  }
}
