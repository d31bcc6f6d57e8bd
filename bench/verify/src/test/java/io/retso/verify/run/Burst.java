package io.retso.verify.run;

import io.retso.verify.clients.FinalReads;
import io.retso.verify.clients.ListWorker;
import io.retso.verify.clients.RunIsolation;
import io.retso.verify.clients.StopSignal;
import io.retso.verify.history.History;
import io.retso.verify.history.HistoryReader;
import io.retso.verify.history.HistoryRecorder;
import io.retso.verify.history.Isolation;
import io.retso.verify.lists.Generations;
import io.retso.verify.lists.ListStore;
import io.retso.verify.lists.TableLists;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Some threads work on lists for a moment, and everything is read in the end. */
final class Burst {
  private static final int THREADS = 6;

  private final RunTables place;
  private final int number;
  private final Path file;
  private final HistoryRecorder recorder;

  /**
   * A burst of work, on lists of its own.
   *
   * @param number different for all bursts on these tables
   */
  Burst(RunTables place, int number, Path directory) throws Exception {
    this.place = place;
    this.number = number;
    this.file = directory.resolve("history-" + number + ".edn");
    this.recorder = HistoryRecorder.create(file);
  }

  void work(
      ListStore store, RunIsolation isolation, long seed, long millis, Consumer<String> findings)
      throws Exception {
    StopSignal stop = new StopSignal();
    Generations generations = new Generations(Generations.allAt(1000 * number), 40);
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      ListWorker worker =
          new ListWorker(
              i,
              store,
              recorder,
              generations,
              isolation,
              seed + 100L * number + i,
              findings::accept,
              stop);
      threads.add(new Thread(worker, "lists-" + i));
    }
    threads.forEach(Thread::start);
    stop.await(millis);
    stop.set();
    for (Thread thread : threads) {
      thread.join();
    }
  }

  /** Reads everything: the history is complete. */
  History history() throws Exception {
    try (recorder) {
      recorder.flush();
      ListStore store = new TableLists(place.manager(), place.tables());
      new FinalReads(store, recorder, Isolation.SNAPSHOT, THREADS, Integer.MAX_VALUE, 20)
          .read(FinalReads.keys(List.of(file)), false);
    }
    return HistoryReader.read(file).history();
  }
}
