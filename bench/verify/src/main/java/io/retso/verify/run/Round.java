package io.retso.verify.run;

import io.retso.verify.check.Checker;
import io.retso.verify.check.Model;
import io.retso.verify.check.Verdict;
import io.retso.verify.clients.ClientPlan;
import io.retso.verify.clients.ClientPool;
import io.retso.verify.clients.FalseWitness;
import io.retso.verify.clients.FinalReads;
import io.retso.verify.clients.OwnClient;
import io.retso.verify.clients.StopSignal;
import io.retso.verify.clients.Stranger;
import io.retso.verify.clients.Work;
import io.retso.verify.faults.Fault;
import io.retso.verify.faults.FaultOrder;
import io.retso.verify.faults.Nemesis;
import io.retso.verify.faults.TableFaults;
import io.retso.verify.history.History;
import io.retso.verify.history.HistoryReader;
import io.retso.verify.history.HistoryRecorder;
import io.retso.verify.lists.Findings;
import io.retso.verify.lists.Generations;
import io.retso.verify.lists.ListStore;
import io.retso.verify.lists.TableLists;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * One round: clients work while faults happen, then everything is read and judged. Rounds use lists
 * of their own, so each has a history of its own, and memory is bounded by the round.
 */
final class Round {
  /**
   * What a round came to.
   *
   * @param verdict on the history
   * @param violations what no correct store does, found without the checker
   * @param obstacles of the machine or the cluster that kept the round from being one
   * @param work what clients got done
   * @param history the merged history
   * @param faults what happened, with counts
   * @param never faults that were chosen and never happened, with the reason
   * @param strange requests of a stranger that the oracle refused
   * @param notBelieved outcomes that regions did not believe; 0 where they trust their clients
   */
  record Outcome(
      Verdict verdict,
      List<String> violations,
      List<String> obstacles,
      Work work,
      Path history,
      Map<String, Integer> faults,
      Map<String, String> never,
      long strange,
      long notBelieved) {
    boolean isGood() {
      return verdict.isConsistent() && violations.isEmpty() && obstacles.isEmpty();
    }
  }

  /** What a round reports while it goes on. */
  interface Listener {
    /** Called every few seconds; returns whether the clients go on, until their time is up. */
    boolean goesOn(double seconds, Tally tally, Map<String, Integer> faults);

    /** The clients have ended; something that takes a while begins, or goes on. */
    void phase(String what);
  }

  /** The servers of a cluster that belongs to the run. */
  interface Servers {
    /** What can be done to them. */
    List<Fault> faults();

    /**
     * Starts again what is down: a region server ends itself when it loses its session, as on a
     * machine with too much to do.
     *
     * @return how many it were
     */
    int heal() throws IOException, InterruptedException;
  }

  private static final int GENERATIONS_PER_ROUND = 100_000;
  private static final long PROGRESS_MILLIS = 5000;
  private static final Duration REPORT_INTERVAL = Duration.ofSeconds(5);
  private static final long FINAL_PROCESS = 1_000_000;
  private static final int FINAL_ATTEMPTS = 20;
  private static final long JOIN_SECONDS_MAX = 180;

  private final RunTables place;
  private final RunSettings settings;
  private final int number;
  private final Path directory;
  private final Duration patience;
  private final FaultOrder faultOrder;
  private final long origin = System.nanoTime();
  private final AtomicInteger clients = new AtomicInteger();
  private final List<String> violations = new CopyOnWriteArrayList<>();
  private final List<String> obstacles = new ArrayList<>();

  /**
   * A round.
   *
   * @param number from 0; decides which lists are used
   * @param directory of its own
   * @param patience how long the final checks may take
   * @param faultOrder of the faults of all rounds
   */
  Round(
      RunTables place,
      RunSettings settings,
      int number,
      Path directory,
      Duration patience,
      FaultOrder faultOrder) {
    this.place = place;
    this.settings = settings;
    this.number = number;
    this.directory = directory;
    this.patience = patience;
    this.faultOrder = faultOrder;
  }

  /** The {@link System#nanoTime} from which times of its history count. */
  long origin() {
    return origin;
  }

  private ClientPlan plan(int[] generations) {
    int client = clients.getAndIncrement();
    return new ClientPlan(
        client,
        settings.threads(),
        settings.seed() + 1_000_003L * number + 7919L * client,
        place.access(),
        place.tables(),
        generations,
        settings.listMax(),
        settings.isolation(),
        origin,
        directory.resolve("client-" + client + ".edn"));
  }

  /**
   * Runs it.
   *
   * @param seconds how long clients work, at most
   * @param servers faults of a cluster of our own, and what repairs it; null for a given one
   */
  Outcome run(double seconds, Servers servers, Listener listener)
      throws IOException, InterruptedException {
    Path notes = directory.resolve("nemesis.edn");
    int[] first = Generations.allAt(number * GENERATIONS_PER_ROUND);
    Nemesis nemesis;
    Stranger stranger;
    FalseWitness witness;
    List<Path> histories = new ArrayList<>(List.of(notes));
    try (HistoryRecorder recorder = HistoryRecorder.create(notes, origin);
        OwnClient own = new OwnClient(this::plan, first);
        ClientPool pool =
            new ClientPool(() -> plan(own.generations()), directory, violations::add)) {
      pool.start(settings.processes());
      StopSignal stop = new StopSignal();
      List<Fault> faults = faults(own, pool, servers);
      nemesis = new Nemesis(faults, faultOrder, recorder, settings.seed() + number, stop);
      Findings findings = violations::add;
      Thread thread = started("nemesis", findings, nemesis);
      stranger =
          new Stranger(place.access().client("stranger"), settings.seed() + number, findings, stop);
      List<Thread> strange = new ArrayList<>(List.of(started("stranger", findings, stranger)));
      witness = witness(own, findings, stop);
      if (place.access().keys().isPresent()) { // otherwise regions trust their clients
        strange.add(started("false witness", findings, witness));
      }
      watch(seconds, pool, nemesis, listener);
      stop.set();
      for (Thread each : strange) {
        each.join(TimeUnit.SECONDS.toMillis(JOIN_SECONDS_MAX));
      }
      thread.join(TimeUnit.SECONDS.toMillis(JOIN_SECONDS_MAX));
      if (thread.isAlive()) {
        throw new IOException("a fault does not come to an end; see the last lines of " + notes);
      }
      int restarted = servers == null ? 0 : servers.heal();
      if (restarted > 0) {
        recorder.nemesis("heal", restarted + " servers started again");
      }
      obstacles.addAll(pool.missing());
      listener.phase("waiting for the clients to finish");
    }
    histories.addAll(clientHistories());
    collectViolations();
    Path file = judgeable(histories, listener);
    listener.phase("checking");
    History history = HistoryReader.read(file).history();
    return new Outcome(
        Checker.check(history, Model.of(history)),
        List.copyOf(violations),
        List.copyOf(obstacles),
        Work.of(history).plus(workOnTokens()),
        file,
        nemesis.done(),
        nemesis.neverHappened(),
        stranger.refused(),
        witness.refused());
  }

  private FalseWitness witness(OwnClient own, Findings findings, StopSignal stop)
      throws IOException {
    return new FalseWitness(
        place.connection(),
        place.access().client("false-witness"),
        place.tables(),
        own::generations,
        settings.seed() + number,
        findings,
        stop);
  }

  private static Thread started(String name, Findings findings, Runnable work) {
    Thread thread = new Thread(() -> findings.watch("the " + name, work), name);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  private List<Fault> faults(OwnClient own, ClientPool pool, Servers servers) {
    List<Fault> faults = new ArrayList<>(TableFaults.of(place.admin(), place.tables()));
    faults.add(place.sweep());
    faults.add(new Fault("manager-kill", random -> own.killOne()));
    faults.add(new Fault("client-kill", pool::killOne));
    if (servers != null) {
      faults.addAll(servers.faults());
    }
    faults.removeIf(fault -> !settings.faults().contains(fault.name()));
    return faults;
  }

  private void watch(double seconds, ClientPool pool, Nemesis nemesis, Listener listener)
      throws IOException, InterruptedException {
    Tally tally = new Tally();
    long begin = System.nanoTime();
    long deadline = begin + (long) (seconds * 1e9);
    long now = begin;
    boolean goesOn = true;
    while (goesOn && now < deadline) {
      TimeUnit.MILLISECONDS.sleep(
          Math.max(1, Math.min(PROGRESS_MILLIS, (deadline - now) / 1_000_000)));
      now = System.nanoTime();
      tally.update(clientHistories());
      goesOn = listener.goesOn((now - begin) / 1e9, tally, nemesis.done());
    }
  }

  private List<Path> clientHistories() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files
          .filter(file -> file.getFileName().toString().matches("client-\\d+\\.edn"))
          .sorted()
          .toList();
    }
  }

  private void collectViolations() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.filter(f -> f.toString().endsWith(".violations")).sorted().toList()) {
        violations.add(Files.readString(file).strip());
      }
    }
  }

  private Work workOnTokens() throws IOException {
    Work work = Work.NONE;
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.filter(f -> f.toString().endsWith(".work")).toList()) {
        work = work.plus(Work.read(file));
      }
    }
    return work;
  }

  /** Reads everything, before and after sweeps, and puts it all into one history. */
  private Path judgeable(List<Path> histories, Listener listener)
      throws IOException, InterruptedException {
    SortedSet<Long> keys = FinalReads.keys(histories);
    Path ends = directory.resolve("final.edn");
    try (HistoryRecorder recorder = HistoryRecorder.create(ends, origin)) {
      FinalReads reads =
          new FinalReads(
              new TableLists(place.manager(), place.tables()),
              recorder,
              settings.isolation().ofOthers(),
              FINAL_PROCESS,
              Integer.MAX_VALUE,
              FINAL_ATTEMPTS);
      listener.phase("reading " + keys.size() + " lists and the tokens");
      reads.read(keys, false);
      place.tokens().check(place.manager(), violations::add);
      sweep(listener);
      listener.phase("checking the data of the tables");
      DataChecks.run(place, violations::add);
      listener.phase("reading " + keys.size() + " lists and the tokens once more");
      reads.read(keys, true);
      place.tokens().check(place.manager(), violations::add);
    } catch (ListStore.Violation e) {
      violations.add(e.getMessage());
    }
    histories.add(ends);
    Path merged = directory.resolve("history.edn");
    listener.phase("merging");
    HistoryMerge.merge(histories, merged);
    return merged;
  }

  private void sweep(Listener listener) throws IOException, InterruptedException {
    listener.phase("sweeping");
    FinalChecks finalChecks = new FinalChecks(place, patience);
    Supplier<String> waitsFor = () -> finalChecks.waitsFor() + place.regionsInTransition();
    WaitReporter reporter = new WaitReporter("sweeping", waitsFor, REPORT_INTERVAL, listener);
    try (reporter) {
      finalChecks
          .clean()
          .ifPresent(left -> (left.isOthers() ? obstacles : violations).add(left.what()));
    }
  }
}
