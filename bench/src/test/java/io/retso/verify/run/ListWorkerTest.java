package io.retso.verify.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.verify.check.Checker;
import io.retso.verify.check.Model;
import io.retso.verify.history.History;
import io.retso.verify.history.HistoryReader;
import io.retso.verify.history.HistoryRecorder;
import io.retso.verify.history.Stamps;
import io.retso.verify.history.Step;
import io.retso.verify.history.Transaction;
import io.retso.verify.history.Transaction.Outcome;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A worker with stores that misbehave. */
@Timeout(60)
class ListWorkerTest {
  @TempDir Path directory;

  private final Stop stop = new Stop();
  private final List<String> findings = new ArrayList<>();

  /** One whose transactions do nothing. */
  private static class IdleStore implements ListStore, ListStore.ListTransaction {
    @Override
    public ListTransaction begin(boolean readOnly) {
      return this;
    }

    @Override
    public Settled settle(long start) {
      return new Settled(false, Stamps.NONE);
    }

    @Override
    public Stamps stamps() {
      return Stamps.NONE;
    }

    @Override
    public List<long[]> run(Action action) throws IOException, Violation {
      return action.steps().stream().map(step -> new long[0]).toList();
    }

    @Override
    public void commit() {}

    @Override
    public ListTransaction commitAndBegin() throws CommitFailure {
      return this;
    }

    @Override
    public void rollback() {}
  }

  private void work(ListStore store) throws IOException {
    try (HistoryRecorder recorder = HistoryRecorder.create(directory.resolve("history.edn"))) {
      Generations generations = new Generations(Generations.allAt(0), 20);
      new ListWorker(1, store, recorder, generations, 1, findings::add, stop).run();
    }
  }

  @Test
  void anErrorThatEndsAWorkerIsReported() throws IOException {
    work(
        new IdleStore() {
          @Override
          public ListTransaction begin(boolean readOnly) {
            throw new AssertionError("a bug of the store");
          }
        });
    assertEquals(1, findings.size(), findings::toString);
    assertTrue(findings.get(0).startsWith("process 1 ended by itself"), findings::toString);
    assertTrue(findings.get(0).contains("a bug of the store"), findings::toString);
  }

  @Test
  void aViolationInTheLastTransactionIsReported() throws IOException {
    work(
        new IdleStore() {
          @Override
          public List<long[]> run(Action action) throws Violation {
            stop.set(); // the time is up
            throw new Violation("a value is no list of numbers");
          }
        });
    assertEquals(List.of("process 1: a value is no list of numbers"), findings);
  }

  @Test
  void whatAStoreThrowsThatIsBeingClosedIsNotReported() throws IOException {
    work(
        new IdleStore() {
          @Override
          public List<long[]> run(Action action) {
            stop.set();
            throw new IllegalStateException("closed");
          }
        });
    assertEquals(List.of(), findings);
  }

  /** A store of one worker: what is appended is there at once. */
  private static class OneWorkersStore extends IdleStore {
    private final Map<Long, List<Long>> lists = new HashMap<>();

    @Override
    public List<long[]> run(Action action) {
      List<long[]> reads = new ArrayList<>();
      for (Step step : action.steps()) {
        List<Long> list = lists.computeIfAbsent(step.key(), key -> new ArrayList<>());
        if (step instanceof Step.Append append) {
          list.add(append.value());
        } else {
          reads.add(list.stream().mapToLong(Long::longValue).toArray());
        }
      }
      return reads;
    }
  }

  @Test
  void whatFollowsACommitIsRecordedAsAnotherProcess() throws Exception {
    work(
        new OneWorkersStore() {
          private int times;

          @Override
          public ListTransaction commitAndBegin() {
            if (++times == 20) {
              stop.set();
            }
            return this;
          }
        });
    assertEquals(List.of(), findings);
    History history = HistoryReader.read(directory.resolve("history.edn")).history();
    List<Transaction> following =
        history.transactions().stream().filter(transaction -> transaction.process() == -2).toList();
    assertTrue(following.size() > 5, following::toString);
    for (Transaction next : following) {
      Transaction first = history.transaction(next.id() - 1);
      assertEquals(1, first.process());
      assertFalse(first.precedes(next), "it was invoked before the call");
    }
    assertTrue(Checker.check(history, Model.STRONG_SNAPSHOT_ISOLATION).isConsistent());
  }

  @Test
  void aTransactionThatDoesNotContainTheOneItFollowsIsReported() throws IOException {
    work(
        new OneWorkersStore() {
          @Override
          public ListTransaction commitAndBegin() {
            return new OneWorkersStore(); // an older snapshot
          }

          @Override
          public ListTransaction begin(boolean readOnly) {
            if (!findings.isEmpty()) {
              stop.set();
            }
            return this;
          }
        });
    assertTrue(
        findings.get(0).contains("but the transaction whose commitAndBegin began this one did"),
        findings::toString);
  }

  @Test
  void aCommitWithoutTheTransactionThatWasToFollowIsACommit() throws Exception {
    work(
        new OneWorkersStore() {
          @Override
          public ListTransaction commitAndBegin() throws CommitFailure {
            stop.set();
            throw new CommitFailure(CommitFailure.Kind.COMMITTED, new IOException("no oracle"));
          }
        });
    History history = HistoryReader.read(directory.resolve("history.edn")).history();
    Transaction last = history.transaction(history.transactions().size() - 1);
    assertEquals("did not begin: java.io.IOException: no oracle", last.error());
    assertEquals(Outcome.ABORTED, last.outcome());
    assertEquals(Outcome.COMMITTED, history.transaction(last.id() - 1).outcome());
    assertEquals(List.of(), findings);
  }
}
