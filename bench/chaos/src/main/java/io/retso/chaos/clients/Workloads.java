package io.retso.chaos.clients;

import io.retso.chaos.work.Bank;
import io.retso.chaos.work.OracleLists;
import io.retso.verify.clients.ListWorker;
import io.retso.verify.clients.StopSignal;
import io.retso.verify.clients.Stranger;
import io.retso.verify.history.HistoryRecorder;
import io.retso.verify.history.Isolation;
import io.retso.verify.history.Step;
import io.retso.verify.history.TimestampPair;
import io.retso.verify.lists.Action;
import io.retso.verify.lists.Findings;
import io.retso.verify.lists.Generations;
import io.retso.verify.lists.ListKey;
import io.retso.verify.lists.ListStore.CommitFailure;
import io.retso.verify.lists.ListStore.ListTransaction;
import io.retso.verify.lists.ListStore.Violation;
import io.retso.workload.store.AskingStore;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Lists and a bank on the oracle alone, until they are to stop; then all of it is read. */
final class Workloads implements AutoCloseable {
  /** Short enough that a long fault leaves outcomes unknown. */
  private static final Duration REQUEST_MAX = Duration.ofSeconds(4);

  private static final long JOIN_MILLIS_MAX = 120_000;
  private static final int READ_TOGETHER = 100;
  private static final int READ_ATTEMPTS = 200;
  private static final long READ_AGAIN_MILLIS = 300;
  private static final long FINAL_PROCESS = 1_000;

  private final ClientsPlan.Work work;
  private final HistoryRecorder recorder;
  private final AskingStore store;
  private final OracleLists lists;
  private final Bank bank;
  private final StopSignal stop = new StopSignal();
  private final List<String> violations = new CopyOnWriteArrayList<>();
  private final List<Thread> threads = new ArrayList<>();

  /** Begins. */
  Workloads(ClientsPlan plan) throws IOException {
    this.work = plan.work();
    this.recorder = HistoryRecorder.create(Path.of(plan.directory(), "history.edn"), plan.origin());
    this.store = new AskingStore(plan.client("work").requestTimeout(REQUEST_MAX).build());
    this.store.create(List.of(OracleLists.TABLE, Bank.TABLE));
    this.lists = new OracleLists(store);
    Findings findings = violations::add;
    this.bank = new Bank(store, work.isolation(), work.bankPauseMillis(), findings, stop);
    Generations generations =
        new Generations(Generations.allAt(work.firstGeneration()), work.listMax());
    for (int i = 0; i < work.lists(); i++) {
      begin(
          "lists-" + i,
          new ListWorker(
              i, lists, recorder, generations, work.isolation(), plan.seed() + i, findings, stop));
    }
    Stranger stranger = new Stranger(plan.client("stranger"), plan.seed(), findings, stop);
    begin("stranger", () -> findings.watch("stranger", stranger));
    for (int i = 0; i < work.banks(); i++) {
      String name = "bank-" + i;
      long seed = plan.seed() - i - 1;
      begin(name, () -> findings.watch(name, () -> bank.work(seed)));
    }
  }

  private void begin(String name, Runnable run) {
    Thread thread = new Thread(run, name);
    thread.setDaemon(true);
    threads.add(thread);
    thread.start();
  }

  /** Acknowledged transfers that are missing by now. */
  long lost() throws IOException {
    return bank.lost();
  }

  /** What no correct oracle does. */
  List<String> violations() {
    return List.copyOf(violations);
  }

  /** Ends the work, and reads everything; the oracle is to be well by now. */
  Bank.Outcome end() throws IOException, InterruptedException {
    stop.set();
    long deadline = System.nanoTime() + JOIN_MILLIS_MAX * 1_000_000;
    for (Thread thread : threads) {
      thread.join(Math.max(1, (deadline - System.nanoTime()) / 1_000_000));
      if (thread.isAlive()) {
        throw new IOException(thread.getName() + " does not come to an end");
      }
    }
    List<ListKey> keys = lists.keys();
    for (int from = 0; from < keys.size(); from += READ_TOGETHER) {
      readAll(keys.subList(from, Math.min(keys.size(), from + READ_TOGETHER)));
    }
    return bank.close();
  }

  private void readAll(List<ListKey> keys) throws IOException, InterruptedException {
    for (int i = 1; !read(new Action.Get(keys)); i++) {
      if (i == READ_ATTEMPTS) {
        throw new IOException("the lists cannot be read in the end: the history says why");
      }
      Thread.sleep(READ_AGAIN_MILLIS);
    }
  }

  private boolean read(Action.Get all) {
    Isolation isolation = work.isolation().ofOthers();
    recorder.invoke(FINAL_PROCESS, isolation, all.steps());
    try {
      ListTransaction tx = lists.begin(isolation, true);
      List<long[]> found = tx.run(all);
      tx.commit();
      List<Step> done = new ArrayList<>();
      for (int i = 0; i < found.size(); i++) {
        done.add(Step.read(all.keys().get(i).number(), found.get(i)));
      }
      recorder.ok(FINAL_PROCESS, done, tx.timestamps());
      return true;
    } catch (IOException | CommitFailure | Violation e) {
      recorder.fail(FINAL_PROCESS, TimestampPair.NONE, e.toString());
      return false;
    }
  }

  @Override
  public void close() throws IOException {
    stop.set();
    store.close();
    recorder.close();
  }
}
