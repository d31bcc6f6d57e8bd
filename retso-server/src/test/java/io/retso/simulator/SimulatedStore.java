package io.retso.simulator;

import io.retso.log.LedgerStore;
import io.retso.log.LogException;
import io.retso.log.LogException.Reason;
import io.retso.simulator.SimulatedLedgers.Behaviour;
import io.retso.simulator.SimulatedLedgers.Party;
import io.retso.simulator.SimulatedLedgers.Process;
import io.retso.simulator.SimulatedLedgers.Stored;
import io.retso.simulator.SimulatedLedgers.Way;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/** The client of bookies and catalog within one process: how its requests travel, and fail. */
final class SimulatedStore implements LedgerStore {
  /** A bookie that does not answer is given up after this part of a call's time. */
  private static final int BOOKIE_PART = 4;

  /** A client of ZooKeeper connects anew within this part of a call's time. */
  private static final int RECONNECT_PART = 2;

  /** One reply in so many is lost with its connection. */
  private static final int LOST_REPLY_ODDS = 5;

  /** What a request to the catalog does when it arrives. */
  interface Effect<T> {
    T happen() throws LogException;
  }

  private final SimulatedLedgers ledgers;
  private final Simulation simulation;
  private final Behaviour behaviour;
  private final Process process;

  /** When the last request arrives at each bookie: a connection keeps its order. */
  private final long[] lastArrival = new long[SimulatedLedgers.BOOKIES];

  /** The newest version of the catalog that it has heard of. */
  private int seen;

  SimulatedStore(
      SimulatedLedgers ledgers, Simulation simulation, Behaviour behaviour, Process process) {
    this.ledgers = ledgers;
    this.simulation = simulation;
    this.behaviour = behaviour;
    this.process = process;
  }

  SimulatedLedgers ledgers() {
    return ledgers;
  }

  Simulation simulation() {
    return simulation;
  }

  // The network.

  /** Runs an action when that is no longer in the future. */
  private void when(LongSupplier time, Runnable action) {
    if (time.getAsLong() > simulation.now()) {
      simulation.at(time.getAsLong(), () -> when(time, action));
    } else {
      action.run();
    }
  }

  private void in(long typicalDelay, Runnable action) {
    if (typicalDelay == 0) {
      action.run();
    } else {
      simulation.after(simulation.delay(typicalDelay), action);
    }
  }

  private long cutOffUntil(int bookie, Way way) {
    return Math.max(process.cutOffUntil(Party.BOOKIES, way), process.cutOffUntil(bookie, way));
  }

  /** The last packet of one that dies may not have left. */
  private boolean isLost() {
    return !process.isAlive() && simulation.oneIn(2);
  }

  /**
   * Asks a bookie.
   *
   * @param request what happens there; it is given where to put the answer
   * @param answer gets it once; null if the bookie is down or does not answer in time
   */
  <T> void ask(
      int bookie, BiConsumer<Bookie, Consumer<T>> request, boolean isAppend, Consumer<T> answer) {
    Consumer<T> once = onlyOnce(answer);
    Consumer<T> reply =
        value ->
            in(
                behaviour.bookieDelay(),
                () ->
                    when(
                        () -> cutOffUntil(bookie, Way.IN),
                        () -> process.whenAwake(() -> once.accept(value))));
    Runnable arrival =
        () -> {
          if (!ledgers.bookie(bookie).isUp()) {
            reply.accept(null);
          } else if (!isLost()) {
            request.accept(ledgers.bookie(bookie), reply);
          }
        };
    Runnable sent = () -> when(() -> cutOffUntil(bookie, Way.OUT), arrival);
    if (behaviour.bookieDelay() == 0) {
      sent.run();
      return;
    }
    long earliest = simulation.now() + simulation.delay(behaviour.bookieDelay());
    lastArrival[bookie] = Math.max(lastArrival[bookie], earliest);
    simulation.at(lastArrival[bookie], sent);
    simulation.after(
        behaviour.patience() / (isAppend ? 1 : BOOKIE_PART),
        () -> process.whenAwake(() -> once.accept(null)));
  }

  private static <T> Consumer<T> onlyOnce(Consumer<T> answer) {
    boolean[] answered = {false};
    return value -> {
      if (!answered[0]) {
        answered[0] = true;
        answer.accept(value);
      }
    };
  }

  /** Asks the catalog. */
  <T> CompletableFuture<T> askCatalog(Effect<T> effect) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    Runnable arrival =
        () -> {
          if (!isLost()) {
            Runnable reply = happen(effect, answer);
            in(
                behaviour.catalogDelay(),
                () ->
                    when(
                        () -> process.cutOffUntil(Party.CATALOG, Way.IN),
                        () -> process.whenAwake(reply)));
          }
        };
    in(
        behaviour.catalogDelay(),
        () -> when(() -> process.cutOffUntil(Party.CATALOG, Way.OUT), arrival));
    return answer;
  }

  /** Returns what its answer does. */
  private static <T> Runnable happen(Effect<T> effect, CompletableFuture<T> answer) {
    try {
      T value = effect.happen();
      return () -> answer.complete(value);
    } catch (LogException e) {
      return () -> answer.completeExceptionally(e);
    }
  }

  /** A call fails if it takes too long. */
  private <T> CompletableFuture<T> bounded(CompletableFuture<T> answer) {
    if (behaviour.patience() > 0) {
      long number = ledgers.order().began(process);
      answer.whenComplete((value, e) -> ledgers.order().answered(number));
      simulation.after(
          behaviour.patience(),
          () ->
              process.whenAwake(
                  () ->
                      answer.completeExceptionally(
                          new LogException(Reason.UNAVAILABLE, "no answer"))));
    }
    return answer;
  }

  private boolean fails() {
    return behaviour.failureOdds() > 0 && simulation.oneIn(behaviour.failureOdds());
  }

  private void mayFail(String what) throws LogException {
    if (fails()) {
      throw new LogException(Reason.UNAVAILABLE, "could not " + what);
    }
  }

  // The calls.

  @Override
  public CompletableFuture<Catalog> readCatalog() {
    return readCatalog(
        () -> behaviour.failureOdds() == 0 ? ledgers.readCatalog() : ledgers.readOldCatalog(seen));
  }

  @Override
  public CompletableFuture<Catalog> readNewestCatalog() {
    return readCatalog(ledgers::readCatalog);
  }

  private CompletableFuture<Catalog> readCatalog(Effect<Catalog> effect) {
    return bounded(
        seen(
            askCatalog(
                () -> {
                  mayFail("read the catalog");
                  return effect.happen();
                })));
  }

  private CompletableFuture<Catalog> seen(CompletableFuture<Catalog> answer) {
    return answer.whenComplete(
        (catalog, e) -> seen = Math.max(seen, e == null ? catalog.version() : seen));
  }

  @Override
  public CompletableFuture<Catalog> replaceCatalog(Catalog expected, Content wanted) {
    boolean isRepeated = behaviour.failureOdds() > 0 && simulation.oneIn(LOST_REPLY_ODDS);
    CompletableFuture<Catalog> answer = new CompletableFuture<>();
    seen(askCatalog(() -> replaceNow(expected, wanted)))
        .whenComplete(
            (replaced, e) -> {
              if (!isRepeated) {
                complete(answer, replaced, e);
                return;
              }
              simulation.after(
                  simulation.delay(behaviour.patience() / RECONNECT_PART),
                  () -> process.whenAwake(() -> repeat(expected, wanted, answer)));
            });
    return bounded(answer);
  }

  private void repeat(Catalog expected, Content wanted, CompletableFuture<Catalog> answer) {
    seen(askCatalog(() -> seenIfRefused(() -> ledgers.replaceAgain(process, expected, wanted))))
        .whenComplete((replaced, e) -> complete(answer, replaced, e));
  }

  /** A client knows of the state in which it was refused. */
  private Catalog seenIfRefused(Effect<Catalog> replacement) throws LogException {
    try {
      return replacement.happen();
    } catch (LogException e) {
      seen = Math.max(seen, ledgers.readCatalog().version());
      throw e;
    }
  }

  private static <T> void complete(CompletableFuture<T> answer, T value, Throwable e) {
    if (e == null) {
      answer.complete(value);
    } else {
      answer.completeExceptionally(e);
    }
  }

  private Catalog replaceNow(Catalog expected, Content wanted) throws LogException {
    boolean fails = fails();
    if (fails && simulation.oneIn(2)) {
      throw new LogException(Reason.UNAVAILABLE, "the catalog was not reached");
    }
    Catalog replaced = seenIfRefused(() -> ledgers.replaceCatalog(process, expected, wanted));
    if (fails) {
      throw new LogException(Reason.UNAVAILABLE, "the catalog did not answer");
    }
    return replaced;
  }

  @Override
  public CompletableFuture<Ledger> create() {
    return bounded(
        askCatalog(
            () -> {
              mayFail("create a ledger");
              return new LedgerWriter(this, ledgers.create());
            }));
  }

  @Override
  public CompletableFuture<Entries> openFenced(long id) {
    CompletableFuture<Entries> opened = new CompletableFuture<>();
    askCatalog(() -> ledgers.existing(id))
        .whenComplete(
            (stored, e) -> {
              if (e == null) {
                new LedgerRecovery(this, stored, opened).run();
              } else {
                opened.completeExceptionally(e);
              }
            });
    return bounded(opened);
  }

  @Override
  public CompletableFuture<Entries> openUnfenced(long id) {
    CompletableFuture<Entries> opened = new CompletableFuture<>();
    askCatalog(() -> ledgers.existing(id))
        .whenComplete(
            (stored, e) -> {
              if (e == null) {
                LedgerReader reader = new LedgerReader(this, stored, 0);
                reader.refreshNow(opened, closed -> reader);
              } else {
                opened.completeExceptionally(e);
              }
            });
    return bounded(opened);
  }

  @Override
  public CompletableFuture<Void> delete(long id) {
    return bounded(
        askCatalog(
            () -> {
              ledgers.delete(id);
              mayFail("delete a ledger");
              return null;
            }));
  }

  /** Whether it knows by now that a ledger is closed: ZooKeeper tells those that read it. */
  boolean hearsOfTheEnd(Stored ledger) {
    return ledger.closedAt >= 0 && process.cutOffUntil(Party.CATALOG, Way.IN) <= simulation.now();
  }

  <T> CompletableFuture<T> call(CompletableFuture<T> answer) {
    return bounded(answer);
  }

  @Override
  public void close() {}
}
