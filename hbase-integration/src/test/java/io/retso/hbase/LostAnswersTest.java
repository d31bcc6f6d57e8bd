package io.retso.hbase;

import static io.retso.hbase.Fixture.F;
import static io.retso.hbase.Fixture.Q;
import static io.retso.hbase.Fixture.bytes;
import static io.retso.hbase.Fixture.eventually;
import static io.retso.hbase.Fixture.get;
import static io.retso.hbase.Fixture.number;
import static io.retso.hbase.Fixture.put;
import static io.retso.hbase.Fixture.read;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.client.OracleClient;
import io.retso.client.TransactionHandle;
import io.retso.client.TransactionStatus;
import io.retso.hbase.admin.TablePreparation.Options;
import io.retso.hbase.errors.AbortedException;
import io.retso.hbase.errors.OracleUnavailableException;
import io.retso.hbase.options.Isolation;
import io.retso.hbase.options.ReadSnapshot;
import io.retso.hbase.transaction.Inside;
import io.retso.server.FailingServers;
import io.retso.server.RetsoServer;
import io.retso.server.config.ServerConfig;
import io.retso.server.config.Settings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Increment;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** The oracle decides, and its answer is lost. Of commits that wrote: RunTest. */
@ExtendWith(RetsoCluster.Extension.class)
@Timeout(120)
class LostAnswersTest {
  private static final TransactionOptions SERIALIZABLE =
      TransactionOptions.DEFAULT.withIsolation(Isolation.SERIALIZABLE);
  private static final TransactionOptions LATEST =
      SERIALIZABLE.withReadSnapshot(ReadSnapshot.LATEST);

  private Fixture fixture;
  private TransactionManager manager;
  private TableName name;
  private MutedOracle muted;

  /** How often work was done. */
  private final AtomicInteger attempts = new AtomicInteger();

  @BeforeEach
  void open(Fixture fixture) throws Exception {
    this.fixture = fixture;
    manager = fixture.manager();
    name = fixture.table(Options.DEFAULT);
    String address = fixture.cluster.oracleAddress();
    int port = Integer.parseInt(address.substring(address.indexOf(':') + 1));
    muted = fixture.opened(new MutedOracle(port));
  }

  /** A manager that hears nothing as long as the oracle is muted. */
  private TransactionManager deaf(Duration timeout) throws Exception {
    return fixture.opened(
        fixture.builder().oracle(muted.address()).requestTimeout(timeout).build());
  }

  /** A transaction whose commit is refused; the answer is lost, and the request is repeated. */
  private CompletableFuture<OptionalLong> refusedUnheard(Transaction tx) throws Exception {
    OracleClient oracle = Inside.oracle(manager);
    muted.mute(true);
    CompletableFuture<OptionalLong> commit = tx.commitAsync();
    long start = tx.startTimestamp();
    eventually(
        "refused",
        () -> oracle.status(start, oracle.timestamp()).state() == TransactionStatus.State.ABORTED);
    muted.mute(false);
    return commit;
  }

  private void write(String row) throws Exception {
    manager.run(
        tx -> {
          tx.table(name).put(put(row, "other"));
          return null;
        });
  }

  private static void assertReasonUnknown(Transaction tx, CompletableFuture<?> commit) {
    Throwable failure =
        assertThrows(ExecutionException.class, () -> commit.get(60, TimeUnit.SECONDS)).getCause();
    AbortedException aborted = assertInstanceOf(AbortedException.class, failure);
    assertTrue(aborted.isRetryable());
    assertTrue(aborted.getMessage().contains("run it again"), aborted.getMessage());
    assertEquals(Transaction.State.ROLLED_BACK, tx.state());
  }

  @Test
  void whyACommitWasRefusedIsNotInvented() throws Exception {
    TransactionManager deaf = deaf(Duration.ofSeconds(60));
    Transaction tx = deaf.begin();
    tx.table(name).put(put("r", "mine"));
    Inside.writes(tx).sendAll().join();
    write("r");
    assertReasonUnknown(tx, refusedUnheard(tx));
    assertEquals(1, Inside.counters(deaf).abortedEarlier.sum());
    assertEquals("other", manager.run(other -> read(other.table(name), "r")));
  }

  @Test
  void whyACertificationWasRefusedIsNotInvented() throws Exception {
    TransactionManager deaf = deaf(Duration.ofSeconds(60));
    Transaction tx = deaf.begin(SERIALIZABLE);
    read(tx.table(name), "r");
    tx.table(name).put(put("s", "mine"));
    Inside.writes(tx).sendAll().join();
    manager.run(
        SERIALIZABLE,
        other -> {
          read(other.table(name), "s");
          other.table(name).put(put("r", "other"));
          return null;
        });
    assertReasonUnknown(tx, refusedUnheard(tx));
  }

  @Test
  void whoeverWasAbortedByAnotherLearnsThat() throws Exception {
    Transaction tx = manager.begin();
    tx.table(name).put(put("r", "mine"));
    assertEquals(OptionalLong.empty(), manager.resolve(tx.handle()));
    AbortedException e = assertThrows(AbortedException.class, tx::commit);
    assertTrue(e.getMessage().contains("another client"), e.getMessage());
  }

  /** Lets the oracle be heard again once the first attempt has failed. */
  private CompletableFuture<Void> unmuteAfterAnAttempt(TransactionManager deaf) {
    return CompletableFuture.runAsync(
        () -> {
          while (Inside.counters(deaf).retries.sum() == 0) {
            Thread.onSpinWait();
          }
          muted.mute(false);
        });
  }

  private String readOnce(ReadTransaction tx) throws IOException {
    String value = read(tx.table(name), "r");
    if (attempts.incrementAndGet() == 1) {
      muted.mute(true);
    }
    return value;
  }

  @Test
  void whoOnlyReadIsRunAgain() throws Exception {
    write("r");
    TransactionManager deaf = deaf(Duration.ofSeconds(1));
    CompletableFuture<Void> unmuted = unmuteAfterAnAttempt(deaf);
    assertEquals("other", deaf.read(LATEST, this::readOnce));
    assertEquals(2, attempts.get());
    unmuted.get(60, TimeUnit.SECONDS);
  }

  @Test
  void soIsWorkThatWroteNothing() throws Exception {
    write("r");
    TransactionManager deaf = deaf(Duration.ofSeconds(1));
    CompletableFuture<Void> unmuted = unmuteAfterAnAttempt(deaf);
    CompletableFuture<String> result =
        deaf.runAsync(
            SERIALIZABLE,
            tx ->
                tx.asyncTable(name)
                    .thenCompose(table -> table.get(get("r")))
                    .thenApply(
                        row -> {
                          if (attempts.incrementAndGet() == 1) {
                            muted.mute(true);
                          }
                          return new String(row.value(), StandardCharsets.UTF_8);
                        }));
    assertEquals("other", result.get(60, TimeUnit.SECONDS));
    assertEquals(2, attempts.get());
    unmuted.get(60, TimeUnit.SECONDS);
  }

  /** A caller that does not leave the repetition to the manager is told what it may do. */
  @Test
  void aLostCertificationSaysThatNothingIsLost() throws Exception {
    TransactionManager deaf = deaf(Duration.ofSeconds(1));
    Transaction tx = deaf.begin(SERIALIZABLE);
    read(tx.table(name), "r");
    muted.mute(true);
    OracleUnavailableException e = assertThrows(OracleUnavailableException.class, tx::commit);
    assertTrue(e.isRetryable());
    assertTrue(e.getMessage().contains("it wrote nothing"), e.getMessage());
    assertEquals(Transaction.State.ROLLED_BACK, tx.state());
  }

  /** The oracle carries out the request that it was sent first when it has refused the second. */
  @Test
  void workIsNotDoneTwiceThoughTheRepetitionOfItsCommitIsRefused() throws Exception {
    RetsoServer full =
        fixture.opened(
            RetsoServer.start(
                ServerConfig.builder()
                    .set(Settings.LISTEN_PORT, 0)
                    .set(Settings.HTTP_PORT, 0)
                    .set(Settings.UNCLEANED_MAX, "1")
                    .set(Settings.LOG, "memory")
                    .build()));
    OracleClient other =
        fixture.opened(OracleClient.builder().address("127.0.0.1:" + full.port()).build());
    MutedOracle between = fixture.opened(new MutedOracle(full.port()));
    TableName own = fixture.cluster.freshName("t");
    fixture
        .preparation(between.address())
        .create(Fixture.descriptor(own).build(), Options.CLIENT_READS);
    TransactionManager lossy =
        fixture.opened(
            fixture
                .builder()
                .oracle(between.address())
                .requestTimeout(Duration.ofSeconds(60))
                .build());
    AtomicLong start = new AtomicLong();
    AtomicReference<TransactionHandle> uncleaned = new AtomicReference<>();
    CompletableFuture<Long> sum =
        lossy.runAsync(
            tx -> {
              attempts.incrementAndGet();
              start.set(tx.startTimestamp());
              return tx.asyncTable(own)
                  .thenCompose(
                      table ->
                          table.increment(new Increment(bytes("account")).addColumn(F, Q, 100)))
                  .thenCompose(
                      row ->
                          Inside.writes(tx).sendAll().thenApply(sent -> number(row.getValue(F, Q))))
                  .thenApply(
                      value -> {
                        uncleaned.set(other.begin());
                        other.commit(uncleaned.get(), 1);
                        between.stopReading();
                        return value;
                      });
            });
    eventually("asked to commit", between::hasUnread);
    int first = between.accepted();
    between.loseClients();
    eventually("refused", () -> FailingServers.refusedCommits(full) > 0);
    between.stopReading(); // nor does it read what is asked next
    other.cleanedUp(uncleaned.get());
    between.readOn(first);
    eventually(
        "committed",
        () ->
            other.status(start.get(), other.timestamp()).state()
                == TransactionStatus.State.COMMITTED);
    between.readOn(between.accepted());
    assertEquals(100L, sum.get(60, TimeUnit.SECONDS).longValue());
    assertEquals(1, attempts.get());
    long account = lossy.run(tx -> number(tx.table(own).get(get("account")).getValue(F, Q)));
    assertEquals(100, account);
  }
}
