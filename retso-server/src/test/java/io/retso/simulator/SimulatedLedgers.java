package io.retso.simulator;

import io.retso.log.LedgerStore;
import io.retso.log.LogException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;

/**
 * What BookKeeper and ZooKeeper promise the log, and no more.
 *
 * <ul>
 *   <li>Appends take their time and are acknowledged in order. Until then an append may or may not
 *       survive; opening the ledger with fencing decides it, for a prefix of those outstanding. A
 *       writer that lives on hears late acknowledgements of what survived, then that it is fenced.
 *   <li>Blocking calls let the world go on before they take effect and after.
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

  /** Which promises are kept; and what goes wrong otherwise. */
  public record Behaviour(
      boolean fences, boolean comparesCatalog, long appendDelay, long blockDelay, int failureOdds) {
    public static final Behaviour PROMPT = new Behaviour(true, true, 0, 0, 0);
  }

  /** The process that called is dead: unwinds its stack. */
  static final class Killed extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  private static final class Stored {
    final long id;
    final List<byte[]> entries = new ArrayList<>();
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
  private List<Long> catalog = List.of();
  private int version;
  private Store lastWriter;
  private long nextId = 1;

  public SimulatedLedgers(Simulation simulation, Behaviour behaviour, Durable durable) {
    this.simulation = simulation;
    this.behaviour = behaviour;
    this.durable = durable;
  }

  /** The ledgers as one process sees them. */
  public LedgerStore store(BooleanSupplier alive) {
    return new Store(alive);
  }

  /** The catalog's ledgers. */
  public List<Long> catalog() {
    return catalog;
  }

  /** The ids of all ledgers that were not deleted. */
  public List<Long> existing() {
    return ledgers.values().stream().filter(l -> !l.deleted).map(l -> l.id).sorted().toList();
  }

  /** Entries of a ledger that cannot be lost any more. */
  public int safeEntries(long ledger) {
    return ledgers.get(ledger).safe;
  }

  private void makeSafe(Stored ledger, int upTo) {
    for (; ledger.safe < upTo; ledger.safe++) {
      durable.entry(ByteBuffer.wrap(ledger.entries.get(ledger.safe)));
    }
  }

  private final class Store implements LedgerStore {
    private final BooleanSupplier alive;

    Store(BooleanSupplier alive) {
      this.alive = alive;
    }

    private void mayFail(String what) throws LogException {
      if (behaviour.failureOdds > 0 && simulation.oneIn(behaviour.failureOdds)) {
        throw new LogException(LogException.Reason.UNAVAILABLE, "could not " + what);
      }
    }

    private void block() {
      if (behaviour.blockDelay > 0) {
        simulation.block(simulation.delay(behaviour.blockDelay));
      }
      if (!alive.getAsBoolean()) {
        throw new Killed();
      }
    }

    @Override
    public Catalog readCatalog() throws LogException {
      block();
      mayFail("read the catalog");
      Catalog read = new Catalog(version, catalog, lastWriter == this);
      block();
      return read;
    }

    @Override
    public Catalog replaceCatalog(Catalog expected, List<Long> newLedgers) throws LogException {
      block();
      boolean fails = behaviour.failureOdds > 0 && simulation.oneIn(behaviour.failureOdds);
      if (fails && simulation.oneIn(2)) {
        throw new LogException(LogException.Reason.UNAVAILABLE, "the catalog was not reached");
      }
      if (expected.version() != version && behaviour.comparesCatalog) {
        throw new LogException(LogException.Reason.FENCED, "the catalog was replaced");
      }
      catalog = List.copyOf(newLedgers);
      lastWriter = this;
      Catalog replaced = new Catalog(++version, catalog, true);
      block();
      if (fails) {
        throw new LogException(LogException.Reason.UNAVAILABLE, "the catalog did not answer");
      }
      return replaced;
    }

    @Override
    public Ledger create() throws LogException {
      block();
      mayFail("create a ledger");
      Stored stored = new Stored(nextId++);
      ledgers.put(stored.id, stored);
      block();
      return new Writing(stored, alive);
    }

    @Override
    public Entries openFenced(long id) throws LogException {
      block();
      Stored stored = existing(id);
      int count = stored.sealedAt;
      if (count < 0) {
        int outstanding = stored.entries.size() - stored.safe;
        count = stored.safe + simulation.below(outstanding + 1);
        makeSafe(stored, count);
        if (behaviour.fences) {
          stored.sealedAt = count;
        }
      }
      block();
      return new Opened(this, id, List.copyOf(stored.entries.subList(0, count)));
    }

    private Stored existing(long id) throws LogException {
      Stored stored = ledgers.get(id);
      if (stored == null || stored.deleted) {
        throw new LogException(LogException.Reason.UNAVAILABLE, "there is no ledger " + id);
      }
      return stored;
    }

    @Override
    public void delete(long id) throws LogException {
      block();
      ledgers.get(id).deleted = true;
      block();
      mayFail("delete a ledger");
    }

    @Override
    public void close() {}
  }

  private record Opened(Store store, long id, List<byte[]> entries) implements LedgerStore.Entries {
    @Override
    public long count() {
      return entries.size();
    }

    @Override
    public void read(long from, long to, LedgerStore.EntryVisitor visitor) throws LogException {
      for (long i = from; i < to; i++) {
        if (i == from || i % 8 == 0) {
          store.block();
          store.existing(id);
        }
        visitor.entry(ByteBuffer.wrap(entries.get((int) i)).asReadOnlyBuffer());
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
    private final BooleanSupplier alive;
    private final ArrayDeque<Append> outstanding = new ArrayDeque<>();
    private LogException failure;

    Writing(Stored stored, BooleanSupplier alive) {
      this.stored = stored;
      this.alive = alive;
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
      }
      outstanding.add(append);
      long delay = behaviour.appendDelay == 0 ? 0 : simulation.delay(behaviour.appendDelay);
      simulation.after(
          delay,
          () -> {
            append.arrived = true;
            complete();
          });
    }

    private void complete() {
      while (alive.getAsBoolean() && !outstanding.isEmpty() && outstanding.peek().arrived) {
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
        return new LogException(LogException.Reason.FENCED, "another server took over");
      }
      if (behaviour.failureOdds > 0 && simulation.oneIn(40 * behaviour.failureOdds)) {
        return new LogException(LogException.Reason.UNAVAILABLE, "too few bookies");
      }
      makeSafe(stored, append.index + 1);
      return null;
    }

    @Override
    public void closeAsync() {
      if (stored.sealedAt < 0 && outstanding.isEmpty() && behaviour.fences) {
        stored.sealedAt = stored.entries.size();
        makeSafe(stored, stored.sealedAt);
      }
    }
  }

  @Override
  public String toString() {
    return "catalog " + Arrays.toString(catalog.toArray()) + " version " + version;
  }
}
