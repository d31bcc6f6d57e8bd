package io.retso.client.connection;

import static io.retso.client.TestTickets.handle;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.client.CommitRequest;
import io.retso.client.CommitResult;
import io.retso.client.OracleClient;
import io.retso.client.OracleException;
import io.retso.client.OracleException.Category;
import io.retso.client.connection.VirtualNetwork.Reach;
import io.retso.client.connection.VirtualNetwork.Server;
import io.retso.protocol.Outcome;
import io.retso.protocol.Timestamps;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Commits that a server refuses for now: what they are worth, and when they are asked again. */
class RefusedCommitsTest {
  private static final long START = Timestamps.GAP;

  private final VirtualNetwork network = new VirtualNetwork();
  private final Server a = network.server(1);
  private final Server b = network.server(2);
  private OracleClient client;

  @BeforeEach
  void connect() {
    a.lead(1, a, b);
    b.follow(1, a, a, b);
    client = network.client(1, a);
    client.beginAsync();
    network.pass(1);
    a.commitAnswer = Outcome.REFUSED_UNCLEANED;
    b.commitAnswer = Outcome.REFUSED_UNCLEANED;
  }

  private static void assertCommitted(CompletableFuture<CommitResult> commit) {
    assertTrue(commit.isDone());
    assertTrue(commit.join().isCommitted());
  }

  private void assertFailed(Category category, CompletableFuture<CommitResult> commit) {
    assertTrue(commit.isDone());
    Throwable failure = assertThrows(CompletionException.class, commit::join).getCause();
    OracleException of = assertInstanceOf(OracleException.class, failure);
    assertEquals(category, of.category(), of::getMessage);
    network.pass(1_000);
    assertEquals(0, client.outstanding());
  }

  /** A copy of a commit is on a connection that the client gives up; {@link #b} is asked next. */
  private CompletableFuture<CommitResult> sentToOneThatIsSilent() {
    a.reach = Reach.SILENT;
    CompletableFuture<CommitResult> commit = client.commitAsync(handle(START), 1);
    network.pass(1);
    b.lead(2, b);
    network.pass(1);
    assertEquals(1, b.repeats);
    return commit;
  }

  @ParameterizedTest
  @ValueSource(longs = {Outcome.REFUSED_UNCLEANED, Outcome.REFUSED_SHARE})
  void isAskedAgainUntilItIsDecided(long refusal) {
    a.commitAnswer = refusal;
    CompletableFuture<CommitResult> commit = client.commitAsync(handle(START), 1);
    network.pass(2_000);
    assertFalse(commit.isDone());
    assertEquals(1, client.outstanding());
    a.commitAnswer = 0;
    network.pass(700);
    assertCommitted(commit);
    assertEquals(0, client.outstanding());
    assertEquals(0, a.repeats, "the server did nothing of those before");
    assertTrue(a.commits > 5 && a.commits < 12, a.commits + " times in 2 seconds");
  }

  @Test
  void soIsOneThatNamesItsReads() {
    CompletableFuture<CommitResult> commit =
        client.commitAsync(
            CommitRequest.of(handle(START)).withWrites(1, 2).withReads(3, 4).serializable());
    network.pass(500);
    a.commitAnswer = 0;
    network.pass(700);
    assertCommitted(commit);
  }

  /** What a server lets wait for seconds must not time out: its outcome would be unknown. */
  @Test
  void isGivenUpWhileThereIsTimeToBeRefusedOnceMore() {
    CompletableFuture<CommitResult> commit = client.commitAsync(handle(START), 1);
    network.pass(4_000);
    assertFalse(commit.isDone());
    network.pass(1_100);
    assertFailed(Category.OVERLOADED, commit);
  }

  @Test
  void aRefusedRepetitionIsAskedAgainAsARepetition() {
    CompletableFuture<CommitResult> commit = sentToOneThatIsSilent();
    network.pass(6_000);
    assertFalse(commit.isDone(), "the other copy may have committed it");
    b.commitAnswer = 0;
    network.pass(700);
    assertCommitted(commit);
    assertEquals(b.commits, b.repeats);
  }

  @Test
  void aRefusedRepetitionLeavesTheOutcomeOpen() {
    CompletableFuture<CommitResult> commit = sentToOneThatIsSilent();
    network.pass(10_200);
    assertFailed(Category.UNKNOWN_OUTCOME, commit);
    assertEquals(b.commits, b.repeats);
  }

  /** A server that does not lead did nothing of it either. */
  @Test
  void whatWasSentBackAndThenRefusedIsNotDecided() {
    a.follow(1, null, a, b); // the client hears of it when its commit is on its way
    CompletableFuture<CommitResult> commit = client.commitAsync(handle(START), 1);
    network.pass(1);
    b.lead(2, a, b);
    network.pass(6_000);
    assertTrue(b.commits > 0);
    assertEquals(0, b.repeats);
    assertFailed(Category.OVERLOADED, commit);
  }

  /** Nothing was done of what was refused or sent back before, and nothing of this copy. */
  @Test
  void whatWasSentBackAndThenIsAnothersIsNotDecided() {
    CompletableFuture<CommitResult> refused = client.commitAsync(handle(START), 1);
    network.pass(500);
    a.follow(1, null, a, b); // the client hears of it when its commits are on their way
    CompletableFuture<CommitResult> sentBack = client.commitAsync(handle(2 * START), 1);
    network.pass(1);
    b.commitAnswer = Outcome.NOT_OWNER;
    b.lead(2, a, b);
    network.pass(1_000);
    assertEquals(0, b.repeats);
    assertFailed(Category.NOT_PERMITTED, refused);
    assertFailed(Category.NOT_PERMITTED, sentBack);
  }

  @Test
  void aRepetitionThatIsAnothersLeavesTheOutcomeOpen() {
    b.commitAnswer = Outcome.NOT_OWNER;
    CompletableFuture<CommitResult> commit = sentToOneThatIsSilent();
    assertFailed(Category.UNKNOWN_OUTCOME, commit);
    assertEquals(1, b.commits, "it is not asked again");
  }

  @Test
  void isNotAskedAgainForACallerThatWaitsNoMore() {
    CompletableFuture<CommitResult> commit = client.commitAsync(handle(START), 1);
    network.pass(1);
    commit.cancel(false);
    network.pass(1_000);
    assertEquals(1, a.commits);
    assertEquals(0, client.outstanding());
  }

  @Test
  void isNotDecidedWhenItsClientIsClosed() {
    CompletableFuture<CommitResult> commit = client.commitAsync(handle(START), 1);
    network.pass(50);
    client.close();
    network.pass(0);
    assertFailed(Category.CLOSED, commit);
  }

  @Test
  void norIsItKnownIfAnotherCopyMayBeUnderWay() {
    CompletableFuture<CommitResult> commit = sentToOneThatIsSilent();
    client.close();
    network.pass(0);
    assertFailed(Category.UNKNOWN_OUTCOME, commit);
  }
}
