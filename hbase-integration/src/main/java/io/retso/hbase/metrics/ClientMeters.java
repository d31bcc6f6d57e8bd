package io.retso.hbase.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.retso.client.OracleMembers;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/**
 * The meters of one transaction manager in a registry of the application's; docs/metrics.md,
 * "Clients". Loaded only if there is a registry. Thread-safe.
 */
final class ClientMeters implements ManagerMeters {
  /** Names of transactions that have meters of their own; the rest shares "other". */
  static final int NAMES_MAX = 100;

  /** Tables of transactions of one name that have meters of their own, in all. */
  static final int TABLES_MAX = 1_000;

  private static final String REFUSED = "retso.client.refused";

  private final MeterRegistry registry;
  private final Tags client;
  private final Set<String> names = ConcurrentHashMap.newKeySet();
  private final Set<String> tables = ConcurrentHashMap.newKeySet();
  private final List<Meter> registered = new CopyOnWriteArrayList<>();

  ClientMeters(
      MeterRegistry registry,
      String clientName,
      Counters c,
      LongSupplier cleanupRows,
      Supplier<OracleMembers> members) {
    this.registry = registry;
    this.client = Tags.of("client", clientName);
    counter("retries", "Attempts of run and its like after one that failed.", c.retries);
    counter("current.reads", "Reads that were current, with no question asked.", c.currentReads);
    counter(
        "changed.reads", "Reads whose rows had changed, and were repeated.", c.changedSnapshots);
    counter("write.batches", "Batches of writes sent, one per table.", c.writeBatches);
    counter("status.queries", "Writers that the oracle was asked about.", c.statusQueries);
    counter("rows.read.again", "Rows fetched more than once by client reads.", c.rowsReadAgain);
    counter("cleaned.transactions", "Transactions cleaned up and reported.", c.cleanedUp);
    counter("cleaned.rows", "Rows of them.", c.rowsCleaned);
    counter(
        "cleaned.rows.adopted", "Rows of those by adoption of outcomes in regions.", c.rowsAdopted);
    counter("failed.cleanups", "Transactions left to readers and sweeps.", c.cleanupsFailed);
    counter("orphans.cleaned", "Rows of others cleaned up behind reads.", c.orphansCleaned);
    counter("orphans.dropped", "Rows of others that were not: too many.", c.orphansDropped);
    counter("sweeps", "Sweeps completed.", c.sweeps);
    counter("failed.sweeps", "Sweeps that could not be completed.", c.sweepsFailed);
    gauge("cleanup.rows", "Rows that wait for cleanup.", cleanupRows::getAsLong);
    gauge("oracle.epoch", "Epoch of the oracle's leader.", () -> members.get().epoch());
    gauge(
        "oracle.leading",
        "1 while a leader is known.",
        () -> members.get().leader().isEmpty() ? 0 : 1);
    gauge("oracle.members", "Members it is connected to.", () -> members.get().connected());
    counter(
        "oracle.leader.changes",
        "How often the oracle's leader was another one than before.",
        members,
        now -> now.get().leaderChanges());
    counter(
        "oracle.leaderless.seconds",
        "Time without a leader, or in which it was silent.",
        members,
        now -> now.get().withoutLeader().toNanos() / 1e9);
  }

  private void gauge(String name, String description, Supplier<Number> value) {
    registered.add(
        Gauge.builder("retso.client." + name, value)
            .description(description)
            .tags(client)
            .strongReference(true)
            .register(registry));
  }

  private void counter(String name, String description, LongAdder adder) {
    counter(name, description, adder, LongAdder::sum);
  }

  private <T> void counter(String name, String description, T of, ToDoubleFunction<T> value) {
    registered.add(
        FunctionCounter.builder("retso.client." + name, of, value)
            .description(description)
            .tags(client)
            .register(registry));
  }

  @Override
  public void ended(String name, Outcome outcome, long nanos) {
    Tags tags = client.and("name", bounded(name), "outcome", text(outcome));
    Timer timer =
        Timer.builder("retso.client.transactions")
            .description("Transactions, from begin to end.")
            .tags(tags)
            .register(registry); // or the one that is registered
    timer.record(nanos, TimeUnit.NANOSECONDS);
  }

  @Override
  public void refused(String name, String table) {
    String ofName = bounded(name);
    String ofTable = table.isEmpty() ? "unknown" : table;
    boolean known = isWithin(tables, TABLES_MAX, ofName + " " + ofTable);
    Counter.builder(REFUSED)
        .description("Commits refused for what others did, by the table of the row that they met.")
        .tags(client.and("name", ofName, "table", known ? ofTable : "other"))
        .register(registry)
        .increment();
  }

  private static String text(Outcome outcome) {
    return outcome.name().toLowerCase(Locale.ROOT);
  }

  private String bounded(String name) {
    if (name.isEmpty()) {
      return "unnamed";
    }
    return isWithin(names, NAMES_MAX, name) ? name : "other";
  }

  /** Threads that come at once may let some more in: a bound all the same. */
  private static boolean isWithin(Set<String> known, int most, String one) {
    return known.contains(one) || known.size() < most && known.add(one);
  }

  @Override
  public void close() {
    registered.forEach(registry::remove);
    registry.find("retso.client.transactions").tags(client).timers().forEach(registry::remove);
    registry.find(REFUSED).tags(client).counters().forEach(registry::remove);
  }
}
