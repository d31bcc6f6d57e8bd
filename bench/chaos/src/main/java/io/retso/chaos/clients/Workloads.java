package io.retso.chaos.clients;

import io.retso.chaos.work.Bank;
import io.retso.chaos.work.OracleLists;
import io.retso.verify.clients.FinalReads;
import io.retso.verify.clients.ListWorker;
import io.retso.verify.clients.StopSignal;
import io.retso.verify.clients.Stranger;
import io.retso.verify.history.HistoryRecorder;
import io.retso.verify.lists.Findings;
import io.retso.verify.lists.Generations;
import io.retso.verify.lists.ListStore;
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
    try {
      new FinalReads(
              lists,
              recorder,
              work.isolation().ofOthers(),
              FINAL_PROCESS,
              READ_TOGETHER,
              READ_ATTEMPTS)
          .read(lists.keys(), false);
    } catch (ListStore.Violation e) {
      violations.add(e.getMessage());
    }
    return bank.close();
  }

  @Override
  public void close() throws IOException {
    stop.set();
    store.close();
    recorder.close();
  }
}
