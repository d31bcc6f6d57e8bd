package io.retso.chaos.work;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.client.CommitRequest;
import io.retso.client.OracleClient;
import io.retso.client.TransactionStatus;
import io.retso.cluster.InProcessServer;
import io.retso.protocol.Outcome;
import io.retso.verify.check.Checker;
import io.retso.verify.check.Model;
import io.retso.verify.check.Verdict;
import io.retso.verify.clients.ListWorker;
import io.retso.verify.clients.RunIsolation;
import io.retso.verify.clients.StopSignal;
import io.retso.verify.history.HistoryReader;
import io.retso.verify.history.HistoryRecorder;
import io.retso.verify.lists.Generations;
import io.retso.workload.Numbers;
import io.retso.workload.Options;
import io.retso.workload.Reason;
import io.retso.workload.RefusedException;
import io.retso.workload.Row;
import io.retso.workload.StoreTransaction;
import io.retso.workload.store.AskingStore;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Lists and a bank on an oracle that is right, and on oracles that break one promise each. */
@Timeout(120)
class FlawedOraclesTest {
  private static final int THREADS = 4;
  private static final int TRANSFERS = 600;
  private static final int AUDITS = 60;
  private static final int LISTS = 300;
  private static final long RUN_NANOS_MAX = 90_000_000_000L;
  private static final long POLL_MILLIS = 20;
  private static final long SEED = 17;
  private static final Row ROW = new Row(Bank.TABLE, "0");

  @TempDir Path directory;

  private InProcessServer server;
  private final List<String> violations = new CopyOnWriteArrayList<>();

  /** What an oracle does that has lost something in a fail-over, or was deposed. */
  enum Flaw {
    NONE,
    /** It does not remember commits that are not cleaned up. */
    FORGETS_COMMITS,
    /** It does not remember what was written, so it sees no conflicts. */
    FORGETS_ROWS,
    /** It gives snapshots that lack what was acknowledged. */
    BEGINS_IN_THE_PAST,
    /** It counts commits as cleaned up that are not. */
    WATERMARK_TOO_HIGH
  }

  @BeforeEach
  void start() throws IOException {
    server = new InProcessServer(100_000, 1 << 16, 50_000);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  /** The oracle with a flaw. */
  private OracleClient client(Flaw flaw) {
    OracleClient right =
        OracleClient.builder().address("127.0.0.1:" + server.address().getPort()).build();
    AtomicLong past = new AtomicLong();
    AtomicLong calls = new AtomicLong();
    return (OracleClient)
        Proxy.newProxyInstance(
            OracleClient.class.getClassLoader(),
            new Class<?>[] {OracleClient.class},
            (proxy, method, arguments) -> {
              String name = method.getName();
              if (flaw == Flaw.FORGETS_COMMITS && name.equals("status")) {
                return TransactionStatus.of(Outcome.ABORTED);
              }
              if (flaw == Flaw.FORGETS_ROWS
                  && name.startsWith("commit")
                  && arguments[0] instanceof CommitRequest request) {
                long row = calls.incrementAndGet();
                return name.equals("commit")
                    ? right.commit(request.transaction(), row)
                    : right.commitAsync(request.transaction(), row);
              }
              if (flaw == Flaw.BEGINS_IN_THE_PAST && name.equals("safeSnapshot")) {
                past.compareAndSet(0, right.safeSnapshot());
                return past.get();
              }
              if (flaw == Flaw.BEGINS_IN_THE_PAST && name.equals("timestamp")) {
                return 0L;
              }
              if (flaw == Flaw.WATERMARK_TOO_HIGH && name.equals("lowWatermark")) {
                return right.timestamp();
              }
              try {
                return method.invoke(right, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private AskingStore store(Flaw flaw) {
    AskingStore store = new AskingStore(client(flaw));
    store.create(List.of(OracleLists.TABLE, Bank.TABLE));
    return store;
  }

  private Verdict run(Flaw flaw) throws IOException, InterruptedException {
    Path file = directory.resolve("history.edn");
    StopSignal stop = new StopSignal();
    try (AskingStore store = store(flaw);
        HistoryRecorder recorder = HistoryRecorder.create(file)) {
      Bank bank = new Bank(store, RunIsolation.MIXED, 4, violations::add, stop);
      List<Thread> threads = new ArrayList<>();
      Generations generations = new Generations(Generations.allAt(0), 60);
      for (int i = 0; i < THREADS; i++) {
        long seed = SEED + i;
        threads.add(new Thread(() -> bank.work(seed)));
        threads.add(
            new Thread(
                new ListWorker(
                    i,
                    new OracleLists(store),
                    recorder,
                    generations,
                    RunIsolation.SERIALIZABLE,
                    seed,
                    violations::add,
                    stop)));
      }
      threads.forEach(Thread::start);
      long deadline = System.nanoTime() + RUN_NANOS_MAX;
      while (System.nanoTime() < deadline
          && violations.isEmpty()
          && (bank.acknowledged() < TRANSFERS
              || bank.audits() < AUDITS
              || committed(file) < LISTS)) {
        stop.await(POLL_MILLIS);
      }
      stop.set();
      for (Thread thread : threads) {
        thread.join();
      }
      Bank.Outcome outcome = bank.close();
      if (outcome.lost() > 0) {
        violations.add(outcome.lost() + " lost");
      }
      if (flaw == Flaw.NONE) {
        assertTrue(
            outcome.acknowledged() >= TRANSFERS && outcome.audits() >= AUDITS, outcome::toString);
        assertEquals(0, outcome.unknown());
      }
    }
    var history = HistoryReader.read(file).history();
    return Checker.check(history, Model.of(history));
  }

  private static long committed(Path history) throws IOException {
    try (Stream<String> lines = Files.lines(history)) {
      return lines.filter(line -> line.contains(":type :ok")).count();
    }
  }

  @Test
  void aRightOracleIsFoundToBeRight() throws Exception {
    Verdict verdict = run(Flaw.NONE);
    assertTrue(verdict.isConsistent(), verdict::toString);
    assertTrue(verdict.ok() >= LISTS, verdict::toString);
    assertEquals(List.of(), violations);
  }

  /** With this flaw a version may be dropped before it is decided: so there are many. */
  @Test
  void whoReadsAtASafeSnapshotForTooLongIsRefused() throws Exception {
    try (AskingStore store = store(Flaw.WATERMARK_TOO_HIGH)) {
      StoreTransaction reader = store.begin(Options.DEFERRED);
      RefusedException refused = null;
      for (long value = 1; refused == null; value++) {
        write(store, value);
        try {
          assertNull(reader.get(ROW));
        } catch (RefusedException e) {
          refused = e;
        }
      }
      assertEquals(Reason.TOO_OLD, refused.reason());
    }
  }

  private static void write(AskingStore store, long value) throws IOException {
    try (StoreTransaction tx = store.begin(Options.ALONE)) {
      tx.put(ROW, Numbers.bytes(value));
      tx.commit();
    }
  }

  /** To one bank the transfers of another one are such as were never acknowledged to it. */
  @Test
  void transfersThatWereRefusedAndMadeAreFoundWhileOthersWork() throws Exception {
    StopSignal stop = new StopSignal();
    List<String> ofOther = new CopyOnWriteArrayList<>();
    try (AskingStore store = store(Flaw.NONE)) {
      Bank right = new Bank(store, RunIsolation.SERIALIZABLE, 4, violations::add, stop);
      Bank other = new Bank(store, RunIsolation.SERIALIZABLE, 4, ofOther::add, stop);
      Thread work = new Thread(() -> right.work(SEED));
      work.start();
      while (ofOther.size() < 2) {
        assertEquals(0, right.lost());
        assertEquals(0, other.lost());
      }
      stop.set();
      work.join();
      assertEquals(0, right.close().lost());
      other.close();
      int found = ofOther.size();
      other.close();
      assertEquals(found, ofOther.size(), "no more is found where nothing happened");
    }
    assertEquals(List.of(), violations);
    assertTrue(ofOther.get(0).contains(" at least were refused"), ofOther::toString);
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void aWrongOneIsFoundOut(Flaw flaw) throws Exception {
    Verdict verdict = run(flaw);
    assertTrue(!verdict.isConsistent() || !violations.isEmpty(), "seed " + SEED + ": " + verdict);
  }
}
