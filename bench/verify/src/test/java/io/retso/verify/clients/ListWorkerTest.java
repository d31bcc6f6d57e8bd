package io.retso.verify.clients;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.verify.history.HistoryRecorder;
import io.retso.verify.history.Isolation;
import io.retso.verify.history.TimestampPair;
import io.retso.verify.lists.Action;
import io.retso.verify.lists.Generations;
import io.retso.verify.lists.ListStore;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A worker with stores that misbehave. */
@Timeout(60)
class ListWorkerTest {
  @TempDir Path directory;

  private final StopSignal stop = new StopSignal();
  private final List<String> findings = new ArrayList<>();

  /** One whose transactions do nothing. */
  private static class IdleStore implements ListStore, ListStore.ListTransaction {
    @Override
    public ListTransaction begin(Isolation isolation, boolean readOnly) {
      return this;
    }

    @Override
    public Resolved resolve() {
      return new Resolved(false, TimestampPair.NONE);
    }

    @Override
    public TimestampPair timestamps() {
      return TimestampPair.NONE;
    }

    @Override
    public List<long[]> run(Action action) throws IOException, Violation {
      return action.steps().stream().map(step -> new long[0]).toList();
    }

    @Override
    public void commit() throws CommitFailure {}

    @Override
    public void rollback() {}
  }

  private void work(ListStore store) throws IOException {
    try (HistoryRecorder recorder = HistoryRecorder.create(directory.resolve("history.edn"))) {
      Generations generations = new Generations(Generations.allAt(0), 20);
      new ListWorker(1, store, recorder, generations, RunIsolation.MIXED, 1, findings::add, stop)
          .run();
    }
  }

  @Test
  void anErrorThatEndsAWorkerIsReported() throws IOException {
    work(
        new IdleStore() {
          @Override
          public ListTransaction begin(Isolation isolation, boolean readOnly) {
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
          public List<long[]> run(Action action) throws IOException, Violation {
            if (stop.isSet()) {
              return super.run(action);
            }
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

  /** The first thing a worker does; however often it is tried, that two overlap is no luck. */
  @Test
  void bothOfAPairAreBegunBeforeEitherCommits() throws IOException {
    List<String> calls = new ArrayList<>();
    work(
        new IdleStore() {
          @Override
          public ListTransaction begin(Isolation isolation, boolean readOnly) {
            calls.add("begin");
            return new IdleStore() {
              @Override
              public void commit() {
                calls.add("commit");
                stop.set();
              }
            };
          }
        });
    assertEquals(List.of("begin", "begin", "commit", "commit"), calls);
    assertEquals(List.of(), findings);
  }

  @Test
  void theSecondOfAPairGivesUpIfTheFirstDoesNotCommit() throws IOException {
    List<String> calls = new ArrayList<>();
    work(
        new IdleStore() {
          @Override
          public void commit() throws CommitFailure {
            stop.set();
            calls.add("commit");
            throw new CommitFailure(CommitFailure.Kind.CONFLICT, new IOException("a conflict"));
          }

          @Override
          public void rollback() {
            calls.add("rollback");
          }
        });
    assertEquals(List.of("commit", "rollback"), calls);
    assertEquals(List.of(), findings);
  }
}
