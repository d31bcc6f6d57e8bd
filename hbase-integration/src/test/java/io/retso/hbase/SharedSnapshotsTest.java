package io.retso.hbase;

import static io.retso.hbase.Fixture.eventually;
import static io.retso.hbase.Fixture.put;
import static io.retso.hbase.Fixture.read;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.client.OracleClient;
import io.retso.client.OracleException;
import io.retso.hbase.SharedSnapshots.Lease;
import io.retso.hbase.TablePreparation.Options;
import io.retso.server.RetsoServer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(RetsoCluster.Extension.class)
class SharedSnapshotsTest {
  private static final Duration LONG = SharedSnapshots.STALENESS_MAX;
  private static final Duration SHORT = SharedSnapshots.STALENESS_MIN;

  private RetsoServer server;
  private OracleClient oracle;
  private SharedSnapshots snapshots;

  @BeforeEach
  void open() throws Exception {
    server = RetsoCluster.startOracle();
    oracle =
        OracleClient.builder()
            .address("127.0.0.1:" + server.port())
            .requestTimeout(Duration.ofSeconds(5))
            .build();
    snapshots = new SharedSnapshots(oracle);
  }

  @AfterEach
  void close() {
    oracle.close();
    server.close();
  }

  private Lease acquire(Duration staleness) throws IOException {
    return get(snapshots.acquire(staleness));
  }

  private static Lease get(CompletableFuture<Lease> lease) throws IOException {
    return Failures.await(lease);
  }

  private long committed() {
    long start = oracle.begin();
    long commit = oracle.commit(start, 1).commitTimestamp();
    oracle.cleanedUp(start);
    return commit;
  }

  @Test
  void oneBeginServesAllThatComeInTimeAndLastsUntilTheLastOfThemEnds() throws Exception {
    List<CompletableFuture<Lease>> all = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      all.add(snapshots.acquire(LONG));
    }
    Set<Long> starts = new TreeSet<>();
    for (CompletableFuture<Lease> one : all) {
      starts.add(get(one).start());
    }
    assertEquals(1, starts.size());
    long start = get(all.get(0)).start();
    committed(); // by somebody else: a snapshot may lack it
    assertEquals(start, acquire(LONG).start());
    snapshots.close();
    assertTrue(acquire(LONG).start() > start, "nobody joins a snapshot that is shared no more");
    for (CompletableFuture<Lease> one : all) {
      assertEquals(start, oracle.lowWatermark());
      get(one).snapshot().release();
    }
    assertEquals(start, oracle.lowWatermark(), "one that joined later still uses it");
  }

  @Test
  void anIdleSnapshotEndsWhenItsTimeIsUp() throws Exception {
    Lease lease = acquire(SHORT);
    lease.snapshot().release();
    eventually("the oracle forgets it", () -> oracle.lowWatermark() > lease.start());
  }

  @Test
  void aUsedSnapshotEndsWithItsUse() throws Exception {
    Lease lease = acquire(SHORT);
    eventually(
        "a later caller gets another one",
        () -> {
          Lease next = acquire(SHORT);
          next.snapshot().release();
          return next.start() > lease.start();
        });
    assertEquals(lease.start(), oracle.lowWatermark());
    lease.snapshot().release();
    eventually("the oracle forgets it", () -> oracle.lowWatermark() > lease.start());
  }

  @Test
  void ownCommitsAreNeverMissed() throws Exception {
    for (int i = 0; i < 100; i++) {
      CompletableFuture<Lease> early = snapshots.acquire(LONG); // may be under way at the commit
      long commit = committed();
      snapshots.committed(commit);
      CompletableFuture<Lease> late = snapshots.acquire(LONG);
      assertTrue(get(late).start() > commit);
      get(early).snapshot().release();
      get(late).snapshot().release();
    }
    assertTrue(acquire(LONG).start() > 0);
  }

  @Test
  void aFailureReachesEveryCaller() {
    oracle.close();
    CompletableFuture<Lease> first = snapshots.acquire(LONG);
    CompletableFuture<Lease> second = snapshots.acquire(LONG);
    for (CompletableFuture<Lease> failed : List.of(first, second)) {
      assertThrows(OracleException.class, () -> get(failed));
    }
    snapshots.close(); // there is nothing left to end
  }

  @Test
  @SuppressWarnings("try") // closing may be interrupted
  void transactionsShareASnapshotAndSeeTheirOwnManagersCommits(RetsoCluster cluster)
      throws Exception {
    try (Fixture fixture = new Fixture(cluster)) {
      TransactionManager manager = fixture.manager();
      TransactionManager other = fixture.manager();
      TableName table = fixture.table(Options.DEFAULT);
      try (Transaction one = manager.beginReadOnly(LONG);
          Transaction two = manager.beginReadOnly(LONG)) {
        assertEquals(one.startTimestamp(), two.startTimestamp());
        other.run(tx -> tx.table(table).put(put("r", "theirs")));
        assertNull(read(one.table(table), "r"));
        manager.run(tx -> tx.table(table).put(put("s", "ours")));
        try (Transaction three = manager.beginReadOnly(LONG)) {
          assertEquals("ours", read(three.table(table), "s"));
          assertEquals("theirs", read(three.table(table), "r"));
        }
        one.commit();
        assertNull(read(two.table(table), "r"));
        assertNull(read(two.table(table), "s"));
        assertThrows(IllegalStateException.class, () -> two.table(table).put(put("r", "x")));
      }
      for (Duration wrong : List.of(Duration.ZERO, Duration.ofMinutes(2))) {
        String message =
            assertThrows(IllegalArgumentException.class, () -> manager.beginReadOnly(wrong))
                .getMessage();
        assertTrue(message.contains("use beginReadOnly()"), message);
      }
    }
  }

  /** As one that the oracle's time limit or window has ended. */
  @Test
  @SuppressWarnings("try") // closing may be interrupted, as in any test
  void whatIsTooOldIsSharedNoMore(RetsoCluster cluster) throws Exception {
    // An oracle of its own: no transaction of another test holds its low watermark.
    String address = "127.0.0.1:" + server.port();
    try (Fixture fixture = new Fixture(cluster);
        Admin admin = cluster.connection().getAdmin()) {
      TableName table = cluster.freshName("t");
      new TablePreparation(cluster.connection(), address)
          .create(Fixture.descriptor(table).build(), Options.DEFAULT);
      TransactionManager manager = fixture.opened(fixture.builder().oracle(address).build());
      TransactionManager other = fixture.opened(fixture.builder().oracle(address).build());
      long shared;
      try (Transaction tx = manager.beginReadOnly(LONG)) {
        shared = tx.startTimestamp();
        assertNull(read(tx.table(table), "r"));
      }
      other.settle(shared);
      eventually(
          "it is purged",
          () -> {
            other.run(tx -> tx.table(table).put(put("r", "new")));
            admin.flush(table);
            try (Transaction tx = manager.beginReadOnly(LONG)) {
              assertEquals(shared, tx.startTimestamp());
              read(tx.table(table), "r");
              return false;
            } catch (SnapshotTooOldException e) {
              return true;
            }
          });
      try (Transaction tx = manager.beginReadOnly(LONG)) {
        assertTrue(tx.startTimestamp() > shared);
        assertEquals("new", read(tx.table(table), "r"));
      }
      admin.disableTable(table);
      admin.deleteTable(table);
    }
  }
}
