package io.retso.hbase.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.retso.client.OracleMembers;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The meters of one transaction manager. Micrometer may be missing: no signature of a public class
 * names it, so that containers, mocks and the like can look at their methods.
 */
public interface ManagerMeters extends AutoCloseable {
  /** How a transaction ended. */
  enum Outcome {
    /** Committed, or it had nothing to commit. */
    COMMITTED,
    /** It was read-only. */
    READ,
    /** Aborted: another one got ahead. */
    CONFLICT,
    /** Aborted: not serializable, as what it read and what it wrote met others. */
    NOT_SERIALIZABLE_PIVOT,
    /** Aborted: not serializable, read-only, and what it read has changed. */
    NOT_SERIALIZABLE_READ_ONLY,
    /** Aborted: perhaps not serializable, which the oracle no longer knows. */
    NOT_SERIALIZABLE_UNKNOWN_SUCCESSOR,
    /** Aborted for its age. */
    TOO_OLD,
    /** Aborted, and why is not known. */
    ABORTED,
    /** Rolled back by the application, or after a failure. */
    ROLLED_BACK,
    /** The answer to its commit was lost. */
    UNKNOWN
  }

  /** Those of a manager without a registry: none. */
  ManagerMeters NONE =
      new ManagerMeters() {
        @Override
        public void ended(String name, Outcome outcome, long nanos) {}

        @Override
        public void refused(String name, String table) {}

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

  /**
   * A transaction has ended. Called on threads that must not wait.
   *
   * @param name from its options; empty if it has none
   * @param nanos since its begin
   */
  void ended(String name, Outcome outcome, long nanos);

  /**
   * The oracle refused a transaction for what others did. Called on threads that must not wait.
   *
   * @param name from its options; empty if it has none
   * @param table whose row met another transaction; empty if that is not known
   */
  void refused(String name, String table);

  /** Takes the meters out of the registry. */
  @Override
  void close();
}
