package io.retso.verify.clients;

import io.retso.admin.FirstContact;
import io.retso.hbase.ManagerBuilder;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.errors.OracleUnavailableException;
import io.retso.verify.history.HistoryRecorder;
import io.retso.verify.lists.Generations;
import io.retso.verify.lists.ListStore;
import io.retso.verify.lists.TableLists;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.client.AsyncConnection;

/**
 * A client of the workload: one transaction manager, several threads with transactions on lists and
 * one that moves tokens. It records its history in a file of its own.
 */
public final class Client implements AutoCloseable {
  /** How long its threads may take to finish their transactions. */
  static final Duration JOIN_MAX = Duration.ofMinutes(2);

  private static final Duration CONNECT_MAX = Duration.ofSeconds(40);

  private final AsyncConnection hbase;
  private final TransactionManager manager;
  private final HistoryRecorder recorder;
  private final Generations generations;
  private final ClientPlan plan;
  private final TokenMover mover;
  private final StopSignal stop = new StopSignal();
  private final List<Thread> threads = new ArrayList<>();

  private Client(
      AsyncConnection hbase,
      TransactionManager manager,
      HistoryRecorder recorder,
      ClientPlan plan) {
    this.hbase = hbase;
    this.manager = manager;
    this.recorder = recorder;
    this.plan = plan;
    this.generations = new Generations(plan.generations(), plan.listMax());
    this.mover =
        new TokenMover(manager, new Tokens(plan.tables()), ~plan.seed(), this::report, stop);
  }

  /** Connects, and starts the threads. */
  public static Client start(ClientPlan plan) throws IOException {
    Configuration configuration = plan.access().configuration();
    AsyncConnection hbase = FirstContact.connect(configuration);
    try {
      ManagerBuilder builder =
          TransactionManager.builder(hbase)
              .oracle(plan.access().oracle())
              .sweepInterval(Duration.ofSeconds(10))
              .flushBytes(plan.flushBytes())
              .isolation(TableLists.options(plan.isolation().ofOthers()).isolation().orElseThrow());
      TransactionManager manager = connected(builder::build, CONNECT_MAX);
      Client client =
          new Client(hbase, manager, HistoryRecorder.create(plan.history(), plan.origin()), plan);
      client.startThreads();
      return client;
    } catch (IOException | RuntimeException e) {
      hbase.close();
      throw e;
    }
  }

  /** What connects to the oracle. */
  interface Connect {
    TransactionManager now() throws IOException;
  }

  /**
   * Tries again while no oracle answers: faults, or a busy machine, may take it longer than once.
   */
  static TransactionManager connected(Connect connect, Duration most) throws IOException {
    long until = System.nanoTime() + most.toNanos();
    while (true) {
      try {
        return connect.now();
      } catch (OracleUnavailableException e) {
        if (System.nanoTime() - until > 0) {
          throw e;
        }
      }
    }
  }

  private void startThreads() {
    ListStore store = new TableLists(manager, plan.tables());
    for (int i = 0; i < plan.threads(); i++) {
      long process = plan.process(i);
      ListWorker worker =
          new ListWorker(
              process,
              store,
              recorder,
              generations,
              plan.isolation(),
              plan.seed() + process,
              this::report,
              stop);
      threads.add(new Thread(worker, "lists-" + process));
    }
    threads.add(new Thread(mover, "tokens-" + plan.number()));
    for (Thread thread : threads) {
      thread.setDaemon(true);
      thread.start();
    }
  }

  /** Written at once: it is to survive whatever comes. */
  private void report(String what) {
    try {
      Files.writeString(
          plan.violations(),
          "client " + plan.number() + ": " + what + System.lineSeparator(),
          StandardOpenOption.CREATE,
          StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new java.io.UncheckedIOException("cannot report " + what, e);
    }
  }

  /** Where the groups of lists are. */
  public int[] generations() {
    return generations.toArray();
  }

  /** Dies in the middle of whatever it does: nothing is rolled back or cleaned up. */
  public void kill() throws IOException {
    stop.set();
    hbase.close();
    close();
  }

  /**
   * Lets every thread finish its transaction, then closes.
   *
   * @throws IOException if the history cannot be written or a thread does not end
   */
  @Override
  public void close() throws IOException {
    stop.set();
    try {
      long deadline = System.nanoTime() + JOIN_MAX.toNanos();
      for (Thread thread : threads) {
        thread.join(Math.max(1, (deadline - System.nanoTime()) / 1_000_000));
        if (thread.isAlive()) {
          throw new IOException(
              thread.getName() + " did not finish its transaction within two minutes");
        }
      }
      mover.done().write(plan.work());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while the clients ended", e);
    } finally {
      recorder.close();
      manager.close();
      hbase.close();
    }
  }
}
