package io.retso.hbase.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.retso.client.OracleMembers;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The meters of one transaction manager. Micrometer may be missing: no signature of a public class
 * names it, so that containers, mocks and the like can look at their methods.
 */
public interface ManagerMeters extends Ends, AutoCloseable {
  /** Those of a manager without a registry: none. */
  ManagerMeters NONE =
      new ManagerMeters() {
        @Override
        public void ended(String name, Outcome outcome, long nanos) {}

        @Override
        public void close() {}
      };

  /**
   * A registry that an application has passed.
   *
   * @throws IllegalArgumentException if it is something else
   */
  static Object checked(Object registry) {
    if (registry instanceof MeterRegistry) {
      return registry;
    }
    throw new IllegalArgumentException(
        registry.getClass().getName()
            + " is no registry of meters: pass an io.micrometer.core.instrument.MeterRegistry");
  }

  /**
   * Registers everything.
   *
   * @param registry checked, or null for no meters
   * @param clientName distinguishes the managers of one registry
   * @param cleanupRows rows that wait for cleanup now
   * @param members what the oracle's client knows now of the members
   */
  static ManagerMeters in(
      Object registry,
      String clientName,
      Counters counters,
      LongSupplier cleanupRows,
      Supplier<OracleMembers> members) {
    return registry == null
        ? NONE
        : new ClientMeters((MeterRegistry) registry, clientName, counters, cleanupRows, members);
  }

  /** Takes the meters out of the registry. */
  @Override
  void close();
}
