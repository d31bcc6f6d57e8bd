package io.retso.hbase.trace;

import static io.retso.hbase.Fixture.F;
import static io.retso.hbase.Fixture.Q;
import static io.retso.hbase.Fixture.bytes;
import static io.retso.hbase.Fixture.eventually;
import static io.retso.hbase.Fixture.put;
import static io.retso.hbase.Fixture.read;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.SpanId;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.sdk.trace.data.EventData;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.retso.hbase.Fixture;
import io.retso.hbase.MutedOracle;
import io.retso.hbase.ReadTransaction;
import io.retso.hbase.RetsoCluster;
import io.retso.hbase.Transaction;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.TransactionOptions;
import io.retso.hbase.admin.TablePreparation.Options;
import io.retso.hbase.errors.ConflictException;
import io.retso.hbase.errors.OracleUnavailableException;
import io.retso.hbase.errors.UnknownCommitException;
import io.retso.hbase.options.Conflicts;
import io.retso.hbase.options.Isolation;
import io.retso.hbase.transaction.Inside;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Put;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** The spans of transactions, their attributes and events. */
@ExtendWith(RetsoCluster.Extension.class)
@Timeout(120)
class TracesTest {
  private static final TransactionOptions NAMED = TransactionOptions.DEFAULT.withName("transfer");
  private static final TransactionOptions SERIALIZABLE =
      TransactionOptions.DEFAULT.withIsolation(Isolation.SERIALIZABLE);

  private Fixture fixture;
  private TableName name;
  private InstalledSdk sdk;
  private TransactionManager manager;

  @BeforeEach
  void install(Fixture fixture) throws Exception {
    this.fixture = fixture;
    name = fixture.table(Options.DEFAULT);
    sdk = fixture.opened(new InstalledSdk());
    manager = fixture.manager();
  }

  private static Void write(Transaction tx, TableName table, String value) throws IOException {
    tx.table(table).put(put("r", value));
    return null;
  }

  private static void assertRoot(SpanData span) {
    assertEquals(SpanId.getInvalid(), span.getParentSpanId(), span::toString);
  }

  private static void assertBelow(SpanData parent, SpanData span) {
    assertEquals(parent.getSpanId(), span.getParentSpanId(), span::toString);
    assertEquals(parent.getTraceId(), span.getTraceId());
  }

  private static void assertOutcome(String outcome, Class<?> failure, SpanData span) {
    assertEquals(outcome, span.getAttributes().get(Names.OUTCOME), span::toString);
    assertEquals(failure == null ? null : failure.getName(), span.getAttributes().get(Names.ERROR));
    assertEquals(
        failure == null ? StatusCode.UNSET : StatusCode.ERROR, span.getStatus().getStatusCode());
  }

  private void assertAsksTheLeader(SpanData span) {
    assertEquals(SpanKind.CLIENT, span.getKind());
    assertEquals(
        fixture.cluster.oracleAddress(),
        span.getAttributes().get(Names.ADDRESS) + ":" + span.getAttributes().get(Names.PORT));
  }

  @Test
  void aRunHasItsStepsBelowIt() throws Exception {
    manager.run(
        NAMED,
        tx -> {
          read(tx.table(name), "r");
          tx.table(name).put(put("s", "x"));
          return write(tx, name, "x");
        });
    SpanData run = sdk.only("retso.run transfer");
    assertRoot(run);
    assertEquals(SpanKind.INTERNAL, run.getKind());
    assertEquals("transfer", run.getAttributes().get(Names.NAME));
    assertEquals("snapshot", run.getAttributes().get(Names.ISOLATION));
    assertEquals(false, run.getAttributes().get(Names.READ_ONLY));
    assertEquals(1, run.getAttributes().get(Names.ATTEMPTS));
    assertOutcome("committed", null, run);
    assertEquals(List.of(), run.getEvents());
    SpanData begin = sdk.only("retso.begin");
    SpanData commit = sdk.only("retso.commit");
    for (SpanData step : List.of(begin, commit)) {
      assertBelow(run, step);
      assertAsksTheLeader(step);
      assertEquals(1, step.getAttributes().get(Names.ATTEMPT));
    }
    assertOutcome("committed", null, commit);
    assertEquals(2, commit.getAttributes().get(Names.ROWS));
    long start = begin.getAttributes().get(Names.START_TIMESTAMP);
    assertTrue(commit.getAttributes().get(Names.COMMIT_TIMESTAMP) > start);
    assertTellsTheOraclesSteps(commit);
    List<SpanData> requests =
        sdk.ended().stream()
            .filter(span -> span.getKind() == SpanKind.CLIENT && !InstalledSdk.isOurs(span))
            .toList();
    assertTrue(
        requests.stream().anyMatch(span -> span.getParentSpanId().equals(run.getSpanId())),
        "reads are below the run");
    assertTrue(
        requests.stream().anyMatch(span -> span.getParentSpanId().equals(commit.getSpanId())),
        "writes are below the commit");
  }

  /** Together they took no longer than the span did. */
  private static void assertTellsTheOraclesSteps(SpanData commit) {
    long nanos = 0;
    for (AttributeKey<Long> step : List.of(Names.DECIDED, Names.LOGGED, Names.ANSWERED)) {
      long micros = commit.getAttributes().get(step);
      assertTrue(micros >= 0, () -> step + " took " + micros + " us");
      nanos += TimeUnit.MICROSECONDS.toNanos(micros);
    }
    long span = commit.getEndEpochNanos() - commit.getStartEpochNanos();
    assertTrue(nanos <= span, nanos + " ns of " + span);
  }

  @Test
  void refusalsAndRepetitionsAreEvents() throws Exception {
    AtomicInteger attempts = new AtomicInteger();
    manager.run(
        NAMED,
        tx -> {
          write(tx, name, "slow");
          if (attempts.incrementAndGet() < 3) {
            manager.run(other -> write(other, name, "fast"));
          }
          return null;
        });
    SpanData run = sdk.only("retso.run transfer");
    assertEquals(3, run.getAttributes().get(Names.ATTEMPTS));
    assertOutcome("committed", null, run);
    assertEquals(
        List.of("retso.conflict", "retso.retry", "retso.conflict", "retso.retry"),
        run.getEvents().stream().map(EventData::getName).toList());
    for (int i = 0; i < 4; i++) {
      EventData event = run.getEvents().get(i);
      assertEquals(i / 2 + 1, event.getAttributes().get(Names.ATTEMPT));
      if (i % 2 == 0) {
        assertEquals("" + name, event.getAttributes().get(Names.TABLE));
        assertEquals("r", event.getAttributes().get(Names.ROW));
        assertEquals("written", event.getAttributes().get(Names.USE));
        assertNull(event.getAttributes().get(Names.COLUMN));
        assertNotNull(event.getAttributes().get(Names.COMMIT_TIMESTAMP));
      } else {
        assertEquals(ConflictException.class.getName(), event.getAttributes().get(Names.ERROR));
        assertTrue(event.getAttributes().get(Names.PAUSE) >= 0);
      }
    }
    List<SpanData> commits =
        sdk.ended("retso.commit").stream()
            .filter(commit -> commit.getParentSpanId().equals(run.getSpanId()))
            .toList();
    assertEquals(
        List.of(1L, 2L, 3L),
        commits.stream().map(commit -> commit.getAttributes().get(Names.ATTEMPT)).toList());
    assertOutcome("conflict", ConflictException.class, commits.get(0));
    assertOutcome("committed", null, commits.get(2));
  }

  @Test
  void aConflictNamesColumnsAndLongKeysAreCut() throws Exception {
    TableName byCell = fixture.table(Options.DEFAULT.withConflicts(Conflicts.CELL));
    Put put = new Put(bytes("k".repeat(1000))).addColumn(F, Q, bytes("x"));
    Transaction tx = manager.begin();
    tx.table(byCell).put(put);
    manager.run(
        other -> {
          other.table(byCell).put(put);
          return null;
        });
    assertThrows(ConflictException.class, tx::commit);
    SpanData span = sdk.only("retso.transaction");
    EventData met = span.getEvents().get(0);
    assertEquals("f:q", met.getAttributes().get(Names.COLUMN));
    assertEquals("k".repeat(64) + "...", met.getAttributes().get(Names.ROW));
    assertOutcome("conflict", ConflictException.class, span);
  }

  @Test
  void anUnknownOutcomeIsOne() throws Exception {
    MutedOracle muted = fixture.mutedOracle();
    TableName own = fixture.cluster.freshName("t");
    fixture
        .preparation(muted.address())
        .create(Fixture.descriptor(own).build(), Options.CLIENT_READS);
    TransactionManager deaf =
        fixture.opened(
            fixture
                .builder()
                .oracle(muted.address())
                .requestTimeout(Duration.ofSeconds(1))
                .build());
    assertThrows(
        UnknownCommitException.class,
        () ->
            deaf.run(
                NAMED,
                tx -> {
                  write(tx, own, "a");
                  Inside.writes(tx).sendAll().join();
                  muted.mute(true);
                  return null;
                }));
    muted.mute(false);
    assertOutcome("unknown", UnknownCommitException.class, sdk.only("retso.run transfer"));
    SpanData commit = sdk.only("retso.commit");
    assertOutcome("unknown", UnknownCommitException.class, commit);
    assertNull(commit.getAttributes().get(Names.COMMIT_TIMESTAMP));
  }

  @Test
  void aTransactionOfTheApplicationHasASpanUntilItEnds() throws Exception {
    try (Transaction tx = manager.begin(NAMED)) {
      write(tx, name, "x");
      assertEquals(List.of(), sdk.ended("retso.transaction transfer"));
      tx.commit();
      SpanData span = sdk.only("retso.transaction transfer");
      assertOutcome("committed", null, span);
      assertBelow(span, sdk.only("retso.begin"));
      assertBelow(span, sdk.only("retso.commit"));
    }
    try (Transaction tx = manager.begin(SERIALIZABLE)) {
      write(tx, name, "y");
    }
    SpanData rolledBack = sdk.only("retso.transaction");
    assertOutcome("rolled_back", null, rolledBack);
    assertEquals("serializable", rolledBack.getAttributes().get(Names.ISOLATION));
    assertEquals(1, sdk.ended("retso.commit").size());
  }

  @Test
  void soHasOneThatOnlyReads() throws Exception {
    try (ReadTransaction tx = manager.beginReadOnly(NAMED)) {
      read(tx.table(name), "r");
    }
    SpanData span = sdk.only("retso.transaction transfer");
    assertOutcome("read", null, span);
    assertEquals(true, span.getAttributes().get(Names.READ_ONLY));
    assertNull(manager.read(tx -> read(tx.table(name), "r")));
    assertOutcome("read", null, sdk.only("retso.run"));
    assertEquals(List.of(), sdk.ended("retso.begin"));
  }

  @Test
  void whatFailsBeforeItBeginsEndsItsSpan() throws Exception {
    MutedOracle muted = fixture.mutedOracle();
    TransactionManager deaf =
        fixture.opened(
            fixture
                .builder()
                .oracle(muted.address())
                .requestTimeout(Duration.ofSeconds(1))
                .build());
    muted.mute(true);
    assertThrows(OracleUnavailableException.class, deaf::begin);
    muted.mute(false);
    assertOutcome(null, OracleUnavailableException.class, sdk.only("retso.transaction"));
    IOException mine = new IOException("of the work");
    assertThrows(
        IOException.class,
        () ->
            manager.run(
                NAMED,
                tx -> {
                  throw mine;
                }));
    assertOutcome("rolled_back", IOException.class, sdk.only("retso.run transfer"));
  }

  @Test
  void aCleanupIsLinkedToTheCommitsItIsFor() throws Exception {
    manager.run(tx -> write(tx, name, "x"));
    String commit = sdk.only("retso.commit").getSpanId();
    eventually("cleaned up", () -> cleanupOf(commit).isPresent());
    SpanData cleanup = cleanupOf(commit).get();
    assertRoot(cleanup);
    assertEquals(1, cleanup.getAttributes().get(Names.ROWS));
    eventually(
        "HBase's requests are below it",
        () ->
            sdk.ended().stream()
                .anyMatch(span -> span.getParentSpanId().equals(cleanup.getSpanId())));
  }

  /** There may be others, for the commits of other tests. */
  private Optional<SpanData> cleanupOf(String commit) {
    return sdk.ended("retso.cleanup").stream()
        .filter(
            span ->
                span.getLinks().stream()
                    .map(link -> link.getSpanContext().getSpanId())
                    .toList()
                    .equals(List.of(commit)))
        .findAny();
  }

  @Test
  void aSweepHasASpan() throws Exception {
    manager.sweep();
    SpanData sweep = sdk.only("retso.sweep");
    assertRoot(sweep);
    assertTrue(
        sdk.ended().stream().anyMatch(span -> span.getParentSpanId().equals(sweep.getSpanId())));
    assertFalse(sdk.ended().stream().anyMatch(span -> span.getName().startsWith("retso.trans")));
  }
}
