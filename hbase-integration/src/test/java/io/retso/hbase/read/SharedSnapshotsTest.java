package io.retso.hbase.read;

import static io.retso.hbase.Fixture.eventually;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.client.OracleClient;
import io.retso.client.OracleException;
import io.retso.client.TransactionHandle;
import io.retso.hbase.RetsoCluster;
import io.retso.hbase.futures.Futures;
import io.retso.hbase.read.SharedSnapshots.Lease;
import io.retso.server.RetsoServer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(RetsoCluster.Extension.class)
class SharedSnapshotsTest {
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

  private Lease acquire() throws IOException {
    return get(snapshots.acquire());
  }

  private static Lease get(CompletableFuture<Lease> lease) throws IOException {
    return Futures.await(lease);
  }

  private long committed() {
    TransactionHandle begun = oracle.begin();
    long commit = oracle.commit(begun, 1).commitTimestamp();
    oracle.cleanedUp(begun);
    return commit;
  }

  @Test
  void oneSnapshotServesManyAndLastsUntilTheLastOfThemEnds() throws Exception {
    snapshots = new SharedSnapshots(oracle, () -> 0); // none is renewed because time has passed
    Lease first = acquire();
    List<Lease> all = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      all.add(snapshots.recent());
    }
    snapshots.close();
    assertNull(snapshots.recent(), "nobody joins a snapshot that is shared no more");
    first.snapshot().release();
    for (Lease one : all) {
      assertEquals(first.start(), one.start());
      assertEquals(first.start(), oracle.lowWatermark());
      one.snapshot().release();
    }
    eventually("the oracle forgets it", () -> oracle.lowWatermark() > first.start());
  }

  @Test
  void anIdleSnapshotEndsWhenItsTimeIsUp() throws Exception {
    Lease lease = acquire();
    lease.snapshot().release();
    eventually("the oracle forgets it", () -> oracle.lowWatermark() > lease.start());
  }

  @Test
  void aSnapshotInUseIsRenewedAndEndsWithItsLastUser() throws Exception {
    Lease lease = acquire();
    eventually(
        "a later caller gets another one",
        () -> {
          Lease next = snapshots.recent();
          next.snapshot().release();
          return next.start() > lease.start();
        });
    assertEquals(lease.start(), oracle.lowWatermark());
    lease.snapshot().release();
    eventually("the oracle forgets it", () -> oracle.lowWatermark() > lease.start());
  }

  @Test
  void whatIsAcquiredContainsAllThatWasCommittedBefore() throws Exception {
    for (int i = 0; i < 100; i++) {
      CompletableFuture<Lease> early = snapshots.acquire(); // may be under way at the commit
      long commit = committed();
      CompletableFuture<Lease> late = snapshots.acquire();
      assertTrue(get(late).start() > commit);
      get(early).snapshot().release();
      get(late).snapshot().release();
    }
  }

  @Test
  void aFailureReachesEveryCaller() {
    oracle.close();
    CompletableFuture<Lease> first = snapshots.acquire();
    CompletableFuture<Lease> second = snapshots.acquire();
    for (CompletableFuture<Lease> failed : List.of(first, second)) {
      assertThrows(OracleException.class, () -> get(failed));
    }
    assertNull(snapshots.recent());
    snapshots.close(); // there is nothing left to end
  }

  /** As one that the oracle's time limit or window has ended. */
  @Test
  void whatIsTooOldIsSharedNoMore() throws Exception {
    snapshots = new SharedSnapshots(oracle, () -> 0); // none is renewed because time has passed
    Lease lease = acquire();
    snapshots.tooOld(lease.start() + 16); // another one
    Lease same = snapshots.recent();
    assertEquals(lease.start(), same.start());
    snapshots.tooOld(lease.start());
    assertNull(snapshots.recent());
    Lease next = acquire();
    assertTrue(next.start() > lease.start());
    for (Lease one : List.of(lease, same, next)) {
      one.snapshot().release();
    }
  }
}
