package io.retso.hbase.trace;

import static io.retso.hbase.Fixture.get;
import static io.retso.hbase.Fixture.put;
import static io.retso.hbase.Fixture.read;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.retso.hbase.Fixture;
import io.retso.hbase.RetsoCluster;
import io.retso.hbase.Transaction;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.TransactionOptions;
import io.retso.hbase.admin.TablePreparation.Options;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hadoop.hbase.TableName;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** In which span code of the application and of HBase's client runs. */
@ExtendWith(RetsoCluster.Extension.class)
@Timeout(120)
class ContextsTest {
  private TableName name;
  private InstalledSdk sdk;
  private TransactionManager manager;
  private Tracer application;

  @BeforeEach
  void install(Fixture fixture) throws Exception {
    name = fixture.table(Options.DEFAULT);
    sdk = fixture.opened(new InstalledSdk());
    manager = fixture.manager();
    application = GlobalOpenTelemetry.getTracer("application");
  }

  private static SpanContext current() {
    return Span.current().getSpanContext();
  }

  /** Runs code in a span of the application. */
  private static <R, X extends Exception> R within(Span span, TraceContext.Code<R, X> code)
      throws X {
    return new OpenTelemetryContext(Context.current().with(span)).call(code);
  }

  private static <T> T answer(CompletableFuture<T> future) throws Exception {
    return future.get(60, TimeUnit.SECONDS);
  }

  @Test
  void callsInASpanWithinTheWorkAreBelowIt() throws Exception {
    SpanContext[] work = new SpanContext[1];
    manager.run(
        tx -> {
          work[0] = current();
          Span inner = application.spanBuilder("inner").startSpan();
          within(inner, () -> read(tx.table(name), "r"));
          inner.end();
          return read(tx.table(name), "s");
        });
    SpanData run = sdk.only("retso.run");
    assertEquals(run.getSpanId(), work[0].getSpanId());
    List<String> parents = new ArrayList<>();
    Map<String, SpanData> byId = sdk.byId();
    for (SpanData span : sdk.ended()) {
      boolean isRequest = span.getKind() == SpanKind.CLIENT && !InstalledSdk.isOurs(span);
      SpanData parent = byId.get(span.getParentSpanId());
      if (isRequest && parent != null && parent.getKind() == SpanKind.INTERNAL) {
        parents.add(parent.getName());
      }
    }
    assertTrue(parents.contains("inner") && parents.contains("retso.run"), parents::toString);
  }

  @Test
  void aRunIsBelowTheSpanOfItsCaller() throws Exception {
    Span request = application.spanBuilder("request").startSpan();
    within(request, () -> manager.run(tx -> read(tx.table(name), "r")));
    assertEquals(request.getSpanContext().getSpanId(), sdk.only("retso.run").getParentSpanId());
  }

  /** On whatever thread it is: the caller's next transaction is not below the last one. */
  @Test
  void whatFollowsAnAsynchronousRunIsWhereItWasCalled() throws Exception {
    AtomicReference<SpanContext> inWork = new AtomicReference<>();
    AtomicReference<SpanContext> afterRead = new AtomicReference<>();
    Span request = application.spanBuilder("request").startSpan();
    SpanContext after =
        answer(
            within(
                request,
                () ->
                    manager
                        .runAsync(
                            tx -> {
                              inWork.set(current());
                              return tx.asyncTable(name)
                                  .thenCompose(table -> table.get(get("r")))
                                  .whenComplete((row, failure) -> afterRead.set(current()));
                            })
                        .thenApply(row -> current())));
    assertEquals(request.getSpanContext(), after);
    SpanData run = sdk.only("retso.run");
    assertEquals(request.getSpanContext().getSpanId(), run.getParentSpanId());
    assertEquals(run.getSpanId(), inWork.get().getSpanId());
    assertEquals(run.getSpanId(), afterRead.get().getSpanId());
  }

  @Test
  void soIsWhatFollowsTheStepsOfATransactionOfTheApplication() throws Exception {
    Span request = application.spanBuilder("request").startSpan();
    List<CompletableFuture<SpanContext>> seen = new ArrayList<>();
    within(
        request,
        () -> {
          CompletableFuture<Transaction> begun = manager.beginAsync();
          seen.add(begun.thenApply(tx -> current()));
          Transaction tx = answer(begun);
          var table = answer(tx.asyncTable(name));
          seen.add(table.get(get("r")).thenApply(row -> current()));
          seen.add(table.put(put("r", "x")).thenApply(done -> current()));
          for (CompletableFuture<SpanContext> step : seen) {
            answer(step);
          }
          seen.add(tx.commitAsync().thenApply(done -> current()));
          return null;
        });
    for (CompletableFuture<SpanContext> step : seen) {
      assertEquals(request.getSpanContext(), answer(step));
    }
    SpanData transaction = sdk.only("retso.transaction");
    assertEquals(request.getSpanContext().getSpanId(), transaction.getParentSpanId());
    assertEquals(transaction.getSpanId(), sdk.only("retso.commit").getParentSpanId());
  }

  @Test
  void transactionsOneAfterAnotherAreNotBelowEachOther() throws Exception {
    TransactionOptions second = TransactionOptions.DEFAULT.withName("second");
    answer(
        manager
            .runAsync(tx -> tx.asyncTable(name).thenCompose(table -> table.put(put("r", "x"))))
            .thenCompose(
                done ->
                    manager.runAsync(
                        second,
                        tx -> tx.asyncTable(name).thenCompose(table -> table.get(get("r"))))));
    assertEquals(false, sdk.only("retso.run").getParentSpanContext().isValid());
    assertEquals(false, sdk.only("retso.run second").getParentSpanContext().isValid());
  }
}
