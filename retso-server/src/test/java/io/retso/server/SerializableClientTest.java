package io.retso.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.client.CommitRequest;
import io.retso.client.CommitResult;
import io.retso.client.CommitResult.AbortReason;
import io.retso.client.Conflict;
import io.retso.client.Conflict.Id;
import io.retso.client.Conflict.Kind;
import io.retso.client.OracleClient;
import io.retso.client.TransactionHandle;
import io.retso.client.TransactionStatus.State;
import io.retso.server.config.Settings;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The client's serializable transactions on a real server. */
@Timeout(120)
class SerializableClientTest {
  @TempDir private Path directory;

  private RetsoServer durable() throws Exception {
    return RetsoServer.start(
        TestServers.small()
            .set(Settings.DATA_DIR, directory.resolve("data"))
            .set(Settings.LOG_SYNC, false)
            .build());
  }

  private static OracleClient client(RetsoServer server) {
    return OracleClient.builder().address("127.0.0.1:" + server.port()).build();
  }

  private static void assertAborted(AbortReason reason, CommitResult result) {
    assertFalse(result.isCommitted());
    assertEquals(reason, result.abortReason());
  }

  /** By which id, and by which commit. */
  @Test
  void refusalsSayWhatTheyMet() throws Exception {
    try (RetsoServer server = TestServers.inMemory();
        OracleClient client = client(server)) {
      TransactionHandle plain = client.begin();
      CommitRequest validating =
          CommitRequest.of(client.begin()).withWrites(8, 9).withValidated(5, 6);
      CommitRequest pivot =
          CommitRequest.of(client.begin()).withWrites(2).withReads(4, 1).serializable();
      CommitRequest reader = CommitRequest.of(client.begin()).withReads(3, 1).serializable();
      CommitRequest scan = CommitRequest.of(client.begin()).withWrites(7).withRangeReads(70);
      CommitRequest first =
          CommitRequest.of(client.begin()).withWrites(1, 6).withReads(2).withRangeWrites(70);
      CommitResult committed = client.commit(first.serializable());
      OptionalLong at = OptionalLong.of(committed.commitTimestamp());
      assertEquals(Optional.empty(), committed.conflict());
      assertMet(new Id(Kind.WRITE, 6), at, null, client.commit(plain, 10, 6));
      assertMet(new Id(Kind.VALIDATED, 6), at, null, client.commit(validating));
      assertMet(new Id(Kind.READ, 1), at, new Id(Kind.WRITE, 2), client.commit(pivot));
      assertTrue(client.commit(reader).isCommitted(), "it comes before");
      assertTrue(client.commit(scan.serializable()).isCommitted(), "it comes before, too");
      CommitResult again = client.commit(pivot);
      assertAborted(AbortReason.EARLIER, again);
      assertEquals(Optional.empty(), again.conflict());
    }
  }

  private static void assertMet(Id changed, OptionalLong at, Id read, CommitResult refused) {
    assertEquals(
        Optional.of(new Conflict(changed, at, Optional.ofNullable(read))), refused.conflict());
  }

  /** Two doctors each look whether the other one is on call, and go. */
  @Test
  void writeSkewIsForSnapshotIsolationOnly() throws Exception {
    try (RetsoServer server = TestServers.inMemory();
        OracleClient client = client(server)) {
      CommitRequest alice = CommitRequest.of(client.begin()).withWrites(1).withReads(2);
      CommitRequest bob = CommitRequest.of(client.begin()).withWrites(2).withReads(1);
      assertTrue(client.commit(alice).isCommitted());
      assertTrue(client.commit(bob).isCommitted());
      alice = CommitRequest.of(client.begin()).withWrites(1).withReads(2).serializable();
      bob = CommitRequest.of(client.begin()).withWrites(2).withReads(1).serializable();
      assertTrue(client.commit(alice).isCommitted());
      assertAborted(AbortReason.PIVOT, client.commit(bob));
      assertEquals(
          State.ABORTED,
          client.status(bob.transaction().startTimestamp(), client.timestamp()).state());
      assertAborted(AbortReason.EARLIER, client.abort(bob.transaction()));
    }
  }

  @Test
  void whatWasValidatedMustNotHaveChangedAndIsNotWritten() throws Exception {
    try (RetsoServer server = TestServers.inMemory();
        OracleClient client = client(server)) {
      CommitRequest one = CommitRequest.of(client.begin()).withWrites(1).withValidated(3);
      CommitRequest two = CommitRequest.of(client.begin()).withWrites(2).withValidated(3);
      CommitRequest late = CommitRequest.of(client.begin()).withWrites(4).withValidated(3);
      assertTrue(client.commit(one).isCommitted());
      assertTrue(client.commit(two).isCommitted(), "validators do not meet each other");
      assertTrue(client.commit(client.begin(), 3).isCommitted());
      assertAborted(AbortReason.CONFLICT, client.commit(late));
    }
  }

  /** An insert into a range that was scanned, by a writer of either isolation. */
  @Test
  void scansMeetWhoSaysInWhichGranulesItWrites() throws Exception {
    try (RetsoServer server = TestServers.inMemory();
        OracleClient client = client(server)) {
      CommitRequest scan =
          CommitRequest.of(client.begin()).withWrites(10).withRangeReads(70).serializable();
      CommitRequest insert = CommitRequest.of(client.begin()).withWrites(11).withRangeWrites(70);
      TransactionHandle reader = client.begin();
      assertTrue(client.commit(insert).isCommitted());
      assertTrue(client.commit(scan).isCommitted(), "it comes before the insert");
      long snapshot = client.safeSnapshot();
      assertTrue(snapshot > reader.startTimestamp());
      CommitRequest again =
          CommitRequest.of(reader).withWrites(12).withRangeReads(70).serializable();
      assertAborted(AbortReason.PIVOT, client.commit(again));
    }
  }

  @Test
  void readersAreOneTransactionOrOneSnapshot() throws Exception {
    try (RetsoServer server = durable();
        OracleClient client = client(server)) {
      TransactionHandle start = client.begin();
      CommitRequest reader = CommitRequest.of(start).withReads(1, 2, 3).serializable();
      assertTrue(client.commit(client.begin(), 2).isCommitted());
      assertTrue(client.commit(reader).isCommitted(), "it comes before the writer");
      long snapshot = client.safeSnapshot();
      assertTrue(snapshot > start.startTimestamp());
      assertTrue(client.safeSnapshot() >= snapshot);
    }
  }

  /**
   * What was read by others is forgotten; a transaction that began before that is judged with care.
   */
  @Test
  void transactionsThatSpanARestartAreNeverWronglyCommitted() throws Exception {
    TransactionHandle unchanged;
    TransactionHandle changed;
    TransactionHandle scanning;
    long committed;
    CommitRequest before;
    try (RetsoServer server = durable();
        OracleClient client = client(server)) {
      unchanged = client.begin();
      changed = client.begin();
      scanning = client.begin();
      before = CommitRequest.of(client.begin()).withWrites(1).withReads(2).serializable();
      committed = client.commit(before).commitTimestamp();
    }
    try (RetsoServer server = durable();
        OracleClient client = client(server)) {
      assertTrue(server.recoveredTransactions() > 0);
      TransactionHandle reader = client.begin();
      long written = before.transaction().startTimestamp();
      assertEquals(committed, client.status(written, reader.startTimestamp()).commitTimestamp());
      assertTrue(
          client
              .commit(CommitRequest.of(unchanged).withWrites(5).withReads(6).serializable())
              .isCommitted());
      assertFalse(
          client
              .commit(CommitRequest.of(changed).withWrites(2).withReads(1).serializable())
              .isCommitted(),
          "the other half of a write skew");
      assertFalse(
          client
              .commit(CommitRequest.of(scanning).withWrites(7).withRangeReads(70).serializable())
              .isCommitted());
      CommitRequest later = CommitRequest.of(reader).withWrites(8).withRangeReads(70);
      assertTrue(client.commit(later.serializable()).isCommitted());
    }
  }
}
