package io.retso.simulator;

import io.retso.log.LedgerStore;
import io.retso.log.LogException;
import io.retso.log.LogException.Reason;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What BookKeeper and ZooKeeper promise the log, and no more.
 *
 * <ul>
 *   <li>An entry goes to each bookie of its ledger's ensemble, and is acknowledged when enough of
 *       them have it in their journals, in order. Whether one that was not survives is decided by
 *       the process that opens the ledger with recovery ({@link LedgerRecovery}): it finds it or
 *       not. A writer that lives on hears late acknowledgements of what survived, then that it is
 *       fenced.
 *   <li>A reader learns the end of an open ledger from what entries carry.
 *   <li>Every request takes its time before it takes effect and after, so that answers come in any
 *       order. The request of a process that dies meanwhile may take effect.
 *   <li>What a process is cut off from it reaches when that is over; if that is too late, the call
 *       or the append has failed long before, and takes effect all the same.
 *   <li>A replaced catalog may be reported as a failure although it was replaced, and a deleted
 *       ledger as one that was not; other calls may fail before they take effect. A replacement
 *       whose reply is lost is repeated, and then refused if somebody has replaced it since.
 *   <li>A process may read a catalog that was replaced lately, but none that is older than what it
 *       has seen.
 *   <li>A bookie that crashes has lost what it had not acknowledged; one that deleted a ledger has
 *       forgotten that it was fenced: it acknowledges appends and loses them.
 * </ul>
 *
 * <p>Not simulated: ensembles that change, disks that lose what was written.
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

    /** When it can talk to one bookie again, by its number, or hear of it. */
    default long cutOffUntil(int bookie, Way way) {
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
   * @param journalDelay how long a bookie's journal typically takes; 0 for no time at all
   * @param bookieDelay how long a request to a bookie is typically under way, and its answer
   * @param catalogDelay the same of the catalog
   * @param patience after which a call or an append without an answer has failed
   * @param failureOdds one in so many calls fails; 0 for none
   */
  public record Behaviour(
      long journalDelay, long bookieDelay, long catalogDelay, long patience, int failureOdds) {
    public static final Behaviour PROMPT = new Behaviour(0, 0, 0, 0, 0);
  }

  static final int BOOKIES = 4;

  /** A server of ZooKeeper lags by less than so many versions of the catalog. */
  private static final int VERSIONS_BEHIND = 4;

  static final int WRITE_QUORUM = 3;
  static final int ACK_QUORUM = 2;

  /** One of so many answers is from a bookie that has whatever is acknowledged. */
  static int covering(Stored ledger) {
    return ledger.ensemble.size() - ACK_QUORUM + 1;
  }

  /** What ZooKeeper knows of a ledger, and what the judge knows. */
  static final class Stored {
    final long id;
    final List<Integer> ensemble;
    boolean inRecovery;
    int closedAt = -1;
    boolean deleted;

    /** Entries that were acknowledged to the writer. */
    int acknowledged;

    /** Entries that were acknowledged or survived. */
    int safe;

    Stored(long id, List<Integer> ensemble) {
      this.id = id;
      this.ensemble = ensemble;
    }
  }

  private final Simulation simulation;
  private final Behaviour behaviour;
  private final Durable durable;
  private final List<Bookie> bookies = new ArrayList<>();
  private final Map<Long, Stored> ledgers = new HashMap<>();
  private final CallOrder order = new CallOrder();
  private final Map<String, Long> counts = new HashMap<>();

  /** What the catalog was, by version; the last one is the newest. */
  private final List<LedgerStore.Catalog> catalogs = new ArrayList<>();

  private long nextId = 1;

  public SimulatedLedgers(Simulation simulation, Behaviour behaviour, Durable durable) {
    this.simulation = simulation;
    this.behaviour = behaviour;
    this.durable = durable;
    catalogs.add(new LedgerStore.Catalog(0, new LedgerStore.Content(0, "", List.of())));
    for (int i = 0; i < BOOKIES; i++) {
      bookies.add(new Bookie(simulation, behaviour.journalDelay));
    }
  }

  /** The ledgers as one process sees them. */
  public LedgerStore store(Process process) {
    return new SimulatedStore(this, simulation, behaviour, process);
  }

  /** The catalog's ledgers. */
  public List<Long> catalog() {
    return readCatalog().ledgers();
  }

  /** The ids of all ledgers that were not deleted. */
  public List<Long> existing() {
    return ledgers.values().stream().filter(l -> !l.deleted).map(l -> l.id).sorted().toList();
  }

  /** In which order calls of different processes were answered. */
  CallOrder order() {
    return order;
  }

  /** How often rare things happened. */
  Map<String, Long> counts() {
    return counts;
  }

  private void counted(String what) {
    counts.merge(what, 1L, Long::sum);
  }

  Bookie bookie(int number) {
    return bookies.get(number);
  }

  // What ZooKeeper does, when it is asked.

  LedgerStore.Catalog readCatalog() {
    return catalogs.get(catalogs.size() - 1);
  }

  /** What a server of ZooKeeper that lags knows, by a client that has seen this version. */
  LedgerStore.Catalog readOldCatalog(int seen) {
    int behind = Math.min(simulation.below(VERSIONS_BEHIND), readCatalog().version() - seen);
    if (behind > 0) {
      counted("catalogs read late");
    }
    return catalogs.get(catalogs.size() - 1 - Math.max(0, behind));
  }

  LedgerStore.Catalog replaceCatalog(
      Process process, LedgerStore.Catalog expected, LedgerStore.Content wanted)
      throws LogException {
    LedgerStore.Catalog before = readCatalog();
    if (expected.version() != before.version()) {
      throw new LogException(Reason.FENCED, "the catalog was replaced");
    }
    catalogs.add(new LedgerStore.Catalog(before.version() + 1, wanted));
    if (wanted.epoch() > before.epoch()) {
      process.tookOver(before.version() + 1);
    }
    return readCatalog();
  }

  /**
   * A request that has been carried out already is found out as long as there was no write since.
   */
  LedgerStore.Catalog replaceAgain(
      Process process, LedgerStore.Catalog expected, LedgerStore.Content wanted)
      throws LogException {
    LedgerStore.Catalog now = readCatalog();
    if (now.version() == expected.version() + 1 && now.content().equals(wanted)) {
      return now;
    }
    boolean tookEffect =
        catalogs.size() > expected.version() + 1
            && catalogs.get(expected.version() + 1).content().equals(wanted);
    if (tookEffect) {
      counted("replacements that took effect and are refused");
    }
    return replaceCatalog(process, expected, wanted);
  }

  /** On bookies that are there; a few are enough. */
  Stored create() throws LogException {
    List<Integer> ensemble = new ArrayList<>();
    for (int i = 0; i < BOOKIES; i++) {
      if (bookie(i).isUp()) {
        ensemble.add(i);
      }
    }
    if (ensemble.size() < ACK_QUORUM) {
      throw new LogException(Reason.UNAVAILABLE, "too few bookies for a ledger");
    }
    Collections.shuffle(ensemble, simulation.random());
    int size = Math.min(WRITE_QUORUM, ensemble.size());
    Stored stored = new Stored(nextId++, List.copyOf(ensemble.subList(0, size)));
    ledgers.put(stored.id, stored);
    return stored;
  }

  Stored existing(long id) throws LogException {
    Stored stored = ledgers.get(id);
    if (stored == null || stored.deleted) {
      throw gone(id);
    }
    return stored;
  }

  LogException gone(long id) {
    counted("ledgers that were gone");
    return LogException.gone(id, "there is no ledger " + id, null);
  }

  /** Its bookies learn of it in their own time. */
  void delete(long id) {
    Violation.unless(
        behaviour.failureOdds == 0 || !catalog().contains(id),
        () -> "ledger " + id + " is deleted, and the catalog names it: " + this);
    Stored stored = ledgers.get(id);
    stored.deleted = true;
    for (int number : stored.ensemble) {
      if (behaviour.journalDelay == 0) {
        bookie(number).forget(id);
      } else {
        simulation.after(
            simulation.delay(20 * behaviour.catalogDelay), () -> bookie(number).forget(id));
      }
    }
  }

  /** The writer is done, or has given up: nothing is in the ledger but what was acknowledged. */
  void close(Stored ledger, int count) {
    if (ledger.closedAt < 0 && !ledger.inRecovery) {
      ledger.closedAt = count;
    }
  }

  // What the judge learns.

  /** Its writer hears that an entry is durable. */
  void acknowledged(Stored ledger, int index, byte[] bytes) {
    if (ledger.deleted) {
      return; // the fence is not remembered there
    }
    Violation.unless(
        ledger.closedAt < 0 || index < ledger.closedAt,
        () -> "entry " + index + " of ledger " + ledger.id + " is acknowledged behind its end");
    ledger.acknowledged = index + 1;
    safe(ledger, index, bytes);
  }

  /** Somebody has found the end of a ledger; of several the first counts. */
  int recovered(Stored ledger, int first, List<Bookie.Entry> found) {
    if (ledger.closedAt >= 0) {
      return ledger.closedAt;
    }
    int count = first + found.size();
    Violation.unless(
        count >= ledger.acknowledged || ledger.deleted,
        () -> "ledger " + ledger.id + " ends with " + count + ", and lost what was acknowledged");
    for (int i = 0; i < found.size(); i++) {
      safe(ledger, first + i, found.get(i).bytes());
    }
    ledger.closedAt = count;
    return count;
  }

  private void safe(Stored ledger, int index, byte[] bytes) {
    if (index == ledger.safe) {
      ledger.safe++;
      durable.entry(ByteBuffer.wrap(bytes));
    }
  }

  @Override
  public String toString() {
    return readCatalog().toString();
  }
}
