package io.retso.hbase;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.admin.TablePreparation.Options;
import io.retso.hbase.options.Isolation;
import io.retso.hbase.transaction.Inside;
import io.retso.security.ClusterSecret;
import io.retso.server.FailingServers;
import io.retso.server.RetsoServer;
import io.retso.server.config.ServerConfig;
import io.retso.server.config.Settings;
import io.retso.server.embedded.EmbeddedBookKeeper;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Scan;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Transactions on HBase while one server after the other leads. */
@ExtendWith(RetsoCluster.Extension.class)
@Timeout(180)
class FailoverTest {
  private static final int ACCOUNTS = 8;
  private static final long EACH = 100;
  private static final int TELLERS = 4;

  @TempDir private Path directory;

  private Fixture fixture;
  private EmbeddedBookKeeper log;
  private Path secret;

  private RetsoServer leader;
  private RetsoServer standby;

  @BeforeEach
  void open(Fixture fixture) throws Exception {
    this.fixture = fixture;
    log = fixture.opened(EmbeddedBookKeeper.start(directory.resolve("bookie"), 1, false));
    secret = directory.resolve("secret");
    ClusterSecret.make(secret);
    leader = server();
    standby = server();
  }

  @AfterEach
  void close() {
    standby.close();
    leader.close();
  }

  private RetsoServer server() throws Exception {
    return RetsoServer.start(
        ServerConfig.builder()
            .set(Settings.LISTEN_PORT, 0)
            .set(Settings.HTTP_PORT, 0)
            .set(Settings.ROWS, "100k")
            .set(Settings.WINDOW_TIMESTAMPS, "2^17")
            .set(Settings.UNCLEANED_MAX, "100k")
            .set(Settings.ZOOKEEPER, log.zookeeper())
            .set(Settings.LOG_ENSEMBLE, 1)
            .set(Settings.SECRET_FILE, secret.toString())
            .build());
  }

  /** Ways in which a leader is followed by another one. */
  private enum End {
    KILLED,
    /** It stands still, and goes on when another one leads. */
    HUNG,
    HANDED_OVER,
    STOPPED
  }

  /**
   * The standby leads then, and a new server, at an address that no client was given, stands by.
   */
  private void failOver(End end) throws Exception {
    RetsoServer old = leader;
    CountDownLatch hangs = new CountDownLatch(1);
    switch (end) {
      case KILLED -> FailingServers.kill(old);
      case HUNG -> FailingServers.hang(old, hangs);
      case HANDED_OVER ->
          Fixture.eventually("hand-over", () -> standby.leads() || FailingServers.handsOver(old));
      case STOPPED -> old.close();
      default -> throw new AssertionError();
    }
    Fixture.eventually("another leader after " + end, standby::leads);
    hangs.countDown();
    if (end == End.HUNG || end == End.HANDED_OVER) {
      Fixture.eventually("a standby again", () -> !old.leads() && FailingServers.serves(old));
    }
    old.close();
    leader = standby;
    standby = server();
  }

  /** All clients and the region server are connected to the standby; a slow machine chose which. */
  private void awaitStandby() throws Exception {
    Fixture.eventually(
        "a leader and a standby",
        () -> FailingServers.serves(leader) && FailingServers.serves(standby));
    if (standby.leads()) {
      RetsoServer other = leader;
      leader = standby;
      standby = other;
    }
    Fixture.eventually(
        "connections to it", () -> FailingServers.connections(standby) >= TELLERS + 1);
  }

  /** A client that moves money, and counts in a row of its own how often. */
  private final class Teller {
    final int number;
    final TransactionManager manager;
    final TableName name;
    final SplittableRandom random;
    final AtomicLong transfers = new AtomicLong();

    Teller(int number, TransactionManager manager, TableName name, SplittableRandom random) {
      this.number = number;
      this.manager = manager;
      this.name = name;
      this.random = random;
    }

    void work(AtomicBoolean over) {
      TransactionOptions options =
          TransactionOptions.DEFAULT.withIsolation(
              number % 2 == 0 ? Isolation.SNAPSHOT : Isolation.SERIALIZABLE);
      try {
        while (!over.get()) {
          String from = "account" + random.nextInt(ACCOUNTS);
          String to = "account" + random.nextInt(ACCOUNTS);
          manager.run(
              options,
              tx -> {
                TransactionalTable table = tx.table(name);
                add(table, from, -1);
                add(table, to, 1);
                add(table, "teller" + number, 1);
                return null;
              });
          transfers.incrementAndGet();
          if (random.nextInt(4) == 0) {
            assertEquals(ACCOUNTS * EACH, total());
          }
        }
      } catch (Exception e) {
        throw new AssertionError("teller " + number, e);
      }
    }

    private static void add(TransactionalTable table, String row, long amount) throws IOException {
      long before = Long.parseLong(Fixture.read(table, row));
      table.put(Fixture.put(row, String.valueOf(before + amount)));
    }

    private long total() throws Exception {
      String rows =
          manager.read(
              tx -> Fixture.scan(tx.table(name), new Scan().withStopRow(Fixture.bytes("b"))));
      return Stream.of(rows.split(" "))
          .mapToLong(row -> Long.parseLong(row.substring(row.indexOf('=') + 1)))
          .sum();
    }
  }

  /**
   * Nothing that was acknowledged is lost, nothing is done twice, and no reader sees half of it. In
   * the end none of the first members is left, and no client was told where the others are.
   */
  @Test
  void aBankGoesOnWhileLeadersChange() throws Exception {
    long seed = System.nanoTime();
    SplittableRandom random = new SplittableRandom(seed);
    TableName name = fixture.cluster.freshName("bank");
    String given = "127.0.0.1:" + leader.port(); // soon to be gone
    fixture.preparation(given).create(Fixture.descriptor(name).build(), Options.DEFAULT);
    List<Teller> tellers = new ArrayList<>();
    for (int i = 0; i < TELLERS; i++) {
      // Marks that stay for a while: readers ask the oracle about them.
      TransactionManager manager =
          fixture.opened(
              fixture.builder().oracle(given).cleanupDelay(Duration.ofMillis(50)).build());
      tellers.add(new Teller(i, manager, name, random.split()));
    }
    tellers.get(0).manager.run(tx -> filled(tx.table(name)));
    AtomicBoolean over = new AtomicBoolean();
    List<CompletableFuture<Void>> working =
        tellers.stream()
            .map(
                teller ->
                    CompletableFuture.runAsync(
                        () -> teller.work(over), work -> new Thread(work, "teller").start()))
            .toList();
    for (End end : End.values()) {
      awaitTransfers(tellers, working);
      awaitStandby();
      failOver(end);
    }
    awaitTransfers(tellers, working);
    over.set(true);
    for (CompletableFuture<Void> worker : working) {
      worker.get(60, TimeUnit.SECONDS);
    }
    for (Teller teller : tellers) {
      String told = String.valueOf(teller.transfers.get());
      assertEquals(
          told,
          teller.manager.read(tx -> Fixture.read(tx.table(name), "teller" + teller.number)),
          "seed " + seed);
      assertEquals(0, Inside.counters(teller.manager).unknown.sum(), "seed " + seed);
    }
    assertEquals(ACCOUNTS * EACH, tellers.get(0).total());
  }

  private static Void filled(TransactionalTable table) throws IOException {
    table.put(
        Stream.concat(
                IntStream.range(0, ACCOUNTS)
                    .mapToObj(i -> Fixture.put("account" + i, String.valueOf(EACH))),
                IntStream.range(0, TELLERS).mapToObj(i -> Fixture.put("teller" + i, "0")))
            .toList());
    return null;
  }

  /** Each teller has made some since this began. */
  private static void awaitTransfers(List<Teller> tellers, List<CompletableFuture<Void>> working)
      throws Exception {
    List<Long> enough = tellers.stream().map(teller -> teller.transfers.get() + 5).toList();
    Fixture.eventually(
        "transfers",
        () -> {
          for (CompletableFuture<Void> worker : working) {
            assertTrue(!worker.isDone(), worker::toString);
          }
          return IntStream.range(0, TELLERS)
              .allMatch(i -> tellers.get(i).transfers.get() >= enough.get(i));
        });
  }
}
