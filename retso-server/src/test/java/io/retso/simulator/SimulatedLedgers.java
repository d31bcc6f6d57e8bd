package io.retso.simulator;

import io.retso.log.LedgerStore;
import io.retso.log.LogException;
import io.retso.log.LogException.Reason;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;

/**
 * What BookKeeper and ZooKeeper promise the log, and no more.
 *
 * <ul>
 *   <li>Appends take their time and are acknowledged in order. Until then an append may or may not
 *       survive; opening the ledger with fencing decides it, for a prefix of those outstanding. A
 *       writer that lives on hears late acknowledgements of what survived, then that it is fenced.
 *   <li>Every other call takes its time before it takes effect and after, so that answers come in
 *       any order. The request of a process that dies meanwhile may take effect.
 *   <li>What a process is cut off from it reaches when that is over; if that is too late, the call
 *       or the append has failed long before, and takes effect all the same.
 *   <li>A replaced catalog may be reported as a failure although it was replaced, and a deleted
 *       ledger as one that was not; other calls may fail before they take effect.
 *   <li>A deleted ledger has forgotten that it was fenced: it acknowledges appends and loses them.
 * </ul>
 */
public final class SimulatedLedgers {
  /** Hears of each entry once it can no longer be lost. */
  public interface Durable {
    void entry(ByteBuffer bytes);
  }

  /** The peers that a process can be cut off from. */
  public enum Party {
    BOOKIES,
    CATALOG,
    CLIENTS
  }

  /** In which direction a process is cut off. */
  public enum Way {
    /** Nothing that it sends arrives. */
    OUT,
    /** Nothing arrives that is sent to it. */
    IN
  }

  /** A process that uses the ledgers. */
  public interface Process {
    boolean isAlive();

    /** When it can talk to a party again, or hear of it; in the past if it can. */
    default long cutOffUntil(Party party, Way way) {
      return 0;
    }

    /** Runs what it does next: later, if it stands still. */
    default void whenAwake(Runnable action) {
      if (isAlive()) {
        action.run();
      }
    }

    /** It began an epoch in the catalog, whether or not it will ever know. */
    default void tookOver(int version) {}
  }

  /**
   * What goes wrong, and how long it takes.
   *
   * @param callDelay how long a call is typically under way, and its answer; 0 for no time at all
   * @param patience after which a call without an answer has failed
   */
  public record Behaviour(long appendDelay, long callDelay, long patience, int failureOdds) {
    public static final Behaviour PROMPT = new Behaviour(0, 0, 0, 0);
  }

  /** What a call does when it arrives. */
  private interface Effect<T> {
    T happen() throws LogException;
  }

  private static final class Stored {
    final long id;
    final List<byte[]> entries = new ArrayList<>();

    /** For each entry how many its writer knew to be durable when it sent it. */
    final List<Integer> confirmed = new ArrayList<>();

    int acknowledged; // entries of which the writer knows
    int safe; // entries that were acknowledged or survived
    int sealedAt = -1;
    boolean deleted;

    Stored(long id) {
      this.id = id;
    }
  }

  private final Simulation simulation;
  private final Behaviour behaviour;
  private final Durable durable;
  private final Map<Long, Stored> ledgers = new HashMap<>();
  private final CallOrder order = new CallOrder();
  private LedgerStore.Content catalog = new LedgerStore.Content(0, "", List.of());
  private int version;
  private long nextId = 1;

  public SimulatedLedgers(Simulation simulation, Behaviour behaviour, Durable durable) {
    this.simulation = simulation;
    this.behaviour = behaviour;
    this.durable = durable;
  }

  /** The ledgers as one process sees them. */
  public LedgerStore store(Process process) {
    return new Store(process);
  }

  /** The catalog's ledgers. */
  public List<Long> catalog() {
    return catalog.ledgers();
  }

  /** The ids of all ledgers that were not deleted. */
  public List<Long> existing() {
    return ledgers.values().stream().filter(l -> !l.deleted).map(l -> l.id).sorted().toList();
  }

  /** In which order calls of different processes were answered. */
  CallOrder order() {
    return order;
  }

  private void makeSafe(Stored ledger, int upTo) {
    for (; ledger.safe < upTo; ledger.safe++) {
      durable.entry(ByteBuffer.wrap(ledger.entries.get(ledger.safe)));
    }
  }

  /** Runs an action when a process can reach a party, or the party it. */
  private void whenReachable(Process process, Party party, Way way, Runnable action) {
    long until = process.cutOffUntil(party, way);
    if (until > simulation.now()) {
      simulation.at(until, () -> whenReachable(process, party, way, action));
    } else {
      action.run();
    }
  }

  private final class Store implements LedgerStore {
    private final Process process;

    Store(Process process) {
      this.process = process;
    }

    private void mayFail(String what) throws LogException {
      if (behaviour.failureOdds > 0 && simulation.oneIn(behaviour.failureOdds)) {
        throw new LogException(Reason.UNAVAILABLE, "could not " + what);
      }
    }

    private <T> CompletableFuture<T> call(Party party, Effect<T> effect) {
      CompletableFuture<T> answer = new CompletableFuture<>();
      if (behaviour.callDelay == 0) {
        happen(effect, answer);
        return answer;
      }
      long number = order.began(process);
      answer.whenComplete((value, e) -> order.answered(number));
      simulation.after(
          simulation.delay(behaviour.callDelay),
          () -> whenReachable(process, party, Way.OUT, () -> arrive(party, effect, answer)));
      simulation.after(
          behaviour.patience,
          () ->
              process.whenAwake(
                  () ->
                      answer.completeExceptionally(
                          new LogException(Reason.UNAVAILABLE, "no answer"))));
      return answer;
    }

    private <T> void arrive(Party party, Effect<T> effect, CompletableFuture<T> answer) {
      if (!process.isAlive() && simulation.oneIn(2)) {
        return; // it died before the last packet had left
      }
      CompletableFuture<T> happened = new CompletableFuture<>();
      happen(effect, happened);
      simulation.after(
          simulation.delay(behaviour.callDelay),
          () -> whenReachable(process, party, Way.IN, () -> answer(happened, answer)));
    }

    private <T> void answer(CompletableFuture<T> happened, CompletableFuture<T> answer) {
      process.whenAwake(
          () ->
              happened.whenComplete(
                  (value, e) -> {
                    if (e == null) {
                      answer.complete(value);
                    } else {
                      answer.completeExceptionally(e);
                    }
                  }));
    }

    private <T> void happen(Effect<T> effect, CompletableFuture<T> answer) {
      try {
        answer.complete(effect.happen());
      } catch (LogException e) {
        answer.completeExceptionally(e);
      }
    }

    @Override
    public CompletableFuture<Catalog> readCatalog() {
      return call(
          Party.CATALOG,
          () -> {
            mayFail("read the catalog");
            return new Catalog(version, catalog);
          });
    }

    @Override
    public CompletableFuture<Catalog> replaceCatalog(Catalog expected, Content wanted) {
      return call(Party.CATALOG, () -> replaceNow(expected, wanted));
    }

    private Catalog replaceNow(Catalog expected, Content wanted) throws LogException {
      boolean fails = behaviour.failureOdds > 0 && simulation.oneIn(behaviour.failureOdds);
      if (fails && simulation.oneIn(2)) {
        throw new LogException(Reason.UNAVAILABLE, "the catalog was not reached");
      }
      if (expected.version() != version) {
        throw new LogException(Reason.FENCED, "the catalog was replaced");
      }
      boolean isTakeOver = wanted.epoch() > catalog.epoch();
      catalog = wanted;
      version++;
      if (isTakeOver) {
        process.tookOver(version);
      }
      if (fails) {
        throw new LogException(Reason.UNAVAILABLE, "the catalog did not answer");
      }
      return new Catalog(version, catalog);
    }

    @Override
    public CompletableFuture<Ledger> create() {
      return call(
          Party.BOOKIES,
          () -> {
            mayFail("create a ledger");
            Stored stored = new Stored(nextId++);
            ledgers.put(stored.id, stored);
            return new Writing(stored, process);
          });
    }

    @Override
    public CompletableFuture<Entries> openFenced(long id) {
      return call(
          Party.BOOKIES,
          () -> {
            Stored stored = existing(id);
            int count = stored.sealedAt;
            if (count < 0) {
              int outstanding = stored.entries.size() - stored.safe;
              count = stored.safe + simulation.below(outstanding + 1);
              makeSafe(stored, count);
              stored.sealedAt = count;
            }
            return new Opened(this, stored, count);
          });
    }

    @Override
    public CompletableFuture<Entries> openUnfenced(long id) {
      return call(
          Party.BOOKIES,
          () -> {
            Stored stored = existing(id);
            return new Opened(this, stored, confirmed(stored));
          });
    }

    /**
     * What a reader learns who does not disturb: of a closed ledger the end, otherwise what the
     * last entry that has arrived says; of those under way nobody knows which.
     */
    private int confirmed(Stored stored) {
      if (stored.sealedAt >= 0) {
        return stored.sealedAt;
      }
      int arrived = stored.safe + simulation.below(stored.entries.size() - stored.safe + 1);
      return arrived == 0 ? 0 : stored.confirmed.get(arrived - 1);
    }

    private Stored existing(long id) throws LogException {
      Stored stored = ledgers.get(id);
      if (stored == null || stored.deleted) {
        throw new LogException(Reason.UNAVAILABLE, "there is no ledger " + id);
      }
      return stored;
    }

    @Override
    public CompletableFuture<Void> delete(long id) {
      return call(
          Party.BOOKIES,
          () -> {
            ledgers.get(id).deleted = true;
            mayFail("delete a ledger");
            return null;
          });
    }

    @Override
    public void close() {}
  }

  /** A ledger in the hands of a reader. */
  private static final class Opened implements LedgerStore.Entries {
    private static final int AT_ONCE = 8;

    private final Store store;
    private final Stored stored;
    private int count;

    Opened(Store store, Stored stored, int count) {
      this.store = store;
      this.stored = stored;
      this.count = count;
    }

    @Override
    public long count() {
      return count;
    }

    @Override
    public CompletableFuture<Boolean> refresh() {
      return store.call(
          Party.BOOKIES,
          () -> {
            boolean isClosed = store.existing(stored.id).sealedAt >= 0;
            count = Math.max(count, store.confirmed(stored));
            return isClosed;
          });
    }

    @Override
    public CompletableFuture<Void> read(
        long from, long to, Executor executor, LedgerStore.EntryVisitor visitor) {
      if (from == to) {
        return CompletableFuture.completedFuture(null);
      }
      long end = Math.min(to, from + AT_ONCE);
      return store
          .call(Party.BOOKIES, () -> store.existing(stored.id))
          .thenAcceptAsync(exists -> show(from, end, visitor), executor)
          .thenCompose(shown -> read(end, to, executor, visitor));
    }

    private void show(long from, long to, LedgerStore.EntryVisitor visitor) {
      try {
        for (long i = from; i < to; i++) {
          visitor.entry(ByteBuffer.wrap(stored.entries.get((int) i)).asReadOnlyBuffer());
        }
      } catch (LogException e) {
        throw new CompletionException(e);
      }
    }

    @Override
    public void close() {}
  }

  /** A ledger in the hands of its writer. */
  private final class Writing implements LedgerStore.Ledger {
    private static final class Append {
      int index;
      ByteBuffer entry;
      byte[] bytes;
      long context;
      LedgerStore.AppendCallback callback;
      boolean arrived;
    }

    private final Stored stored;
    private final Process process;
    private final ArrayDeque<Append> outstanding = new ArrayDeque<>();
    private LogException failure;

    Writing(Stored stored, Process process) {
      this.stored = stored;
      this.process = process;
    }

    @Override
    public long id() {
      return stored.id;
    }

    @Override
    public void append(ByteBuffer entry, long context, LedgerStore.AppendCallback callback) {
      Append append = new Append();
      append.index = stored.sealedAt < 0 ? stored.entries.size() : Integer.MAX_VALUE;
      append.entry = entry;
      append.bytes = new byte[entry.remaining()];
      entry.duplicate().get(append.bytes);
      append.context = context;
      append.callback = callback;
      if (stored.sealedAt < 0 && failure == null) {
        stored.entries.add(append.bytes);
        stored.confirmed.add(stored.acknowledged);
      }
      outstanding.add(append);
      long delay = behaviour.appendDelay == 0 ? 0 : simulation.delay(behaviour.appendDelay);
      Runnable acknowledged =
          () ->
              process.whenAwake(
                  () -> {
                    append.arrived = true;
                    complete();
                  });
      Runnable arrived = () -> whenReachable(process, Party.BOOKIES, Way.IN, acknowledged);
      simulation.after(delay, () -> whenReachable(process, Party.BOOKIES, Way.OUT, arrived));
      if (behaviour.patience > 0) {
        simulation.after(behaviour.patience, () -> process.whenAwake(() -> giveUp(append)));
      }
    }

    private void giveUp(Append append) {
      if (outstanding.contains(append)) {
        if (failure == null) {
          failure = new LogException(Reason.UNAVAILABLE, "no bookie answers");
        }
        outstanding.forEach(each -> each.arrived = true);
        complete();
      }
    }

    private void complete() {
      while (process.isAlive() && !outstanding.isEmpty() && outstanding.peek().arrived) {
        Append append = outstanding.poll();
        Violation.unless(
            append.entry.remaining() == append.bytes.length
                && append.entry.duplicate().equals(ByteBuffer.wrap(append.bytes)),
            "the entry at position " + append.context + " was changed while it was under way");
        if (failure == null) {
          failure = verdict(append);
        }
        append.callback.completed(append.context, failure);
      }
    }

    private LogException verdict(Append append) {
      if (stored.deleted) {
        return null; // nobody there remembers the fence
      }
      if (stored.sealedAt >= 0 && append.index >= stored.sealedAt) {
        return new LogException(Reason.FENCED, "another server took over");
      }
      if (behaviour.failureOdds > 0 && simulation.oneIn(40 * behaviour.failureOdds)) {
        return new LogException(Reason.UNAVAILABLE, "too few bookies");
      }
      makeSafe(stored, append.index + 1);
      stored.acknowledged = append.index + 1;
      return null;
    }

    @Override
    public void closeAsync() {
      boolean arrives = process.cutOffUntil(Party.CATALOG, Way.OUT) <= simulation.now();
      if (arrives && stored.sealedAt < 0 && outstanding.isEmpty()) {
        stored.sealedAt = stored.entries.size();
        makeSafe(stored, stored.sealedAt);
      }
    }
  }

  @Override
  public String toString() {
    return "catalog " + catalog + " version " + version;
  }
}
