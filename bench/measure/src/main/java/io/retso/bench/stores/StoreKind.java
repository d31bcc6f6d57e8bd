package io.retso.bench.stores;

import io.retso.workload.Isolation;
import io.retso.workload.smallbank.Strategy;
import java.util.List;

/** The stores to choose from. */
public enum StoreKind {
  /** ReTSO on HBase. */
  HBASE("ReTSO on HBase"),
  /** The oracle, with rows in this process's memory. */
  ORACLE("the oracle alone"),
  /** HBase without transactions. */
  PLAIN("plain HBase"),
  /** PostgreSQL: one that runs already, or one of its own. */
  POSTGRESQL("PostgreSQL"),
  /** Apache Omid on HBase, in a build that has it. */
  OMID("Omid on HBase");

  private final String label;

  StoreKind(String label) {
    this.label = label;
  }

  /** Whether the store has what a strategy needs. */
  public boolean has(Strategy strategy) {
    return switch (strategy) {
      case READ_COMMITTED -> this == POSTGRESQL;
      case SI -> true;
      case VALIDATE_WT -> this == HBASE || this == ORACLE;
      case SERIALIZABLE -> levels().contains(Isolation.SERIALIZABLE);
      default -> this != PLAIN && !(this == OMID && strategy.locks());
    };
  }

  /** At which it runs transactions; without any, they count as snapshot isolation. */
  public List<Isolation> levels() {
    return switch (this) {
      case HBASE, ORACLE -> List.of(Isolation.SNAPSHOT, Isolation.SERIALIZABLE);
      case POSTGRESQL ->
          List.of(Isolation.READ_COMMITTED, Isolation.SNAPSHOT, Isolation.SERIALIZABLE);
      case PLAIN, OMID -> List.of(Isolation.SNAPSHOT);
    };
  }

  /** Whether no update is lost, so that the money adds up. */
  public boolean keepsUpdates(Strategy strategy) {
    return this != PLAIN && strategy != Strategy.READ_COMMITTED;
  }

  /**
   * Whether what the programs do is serializable. PostgreSQL lets another transaction write a row
   * once the one that has locked it is committed, though both were concurrent.
   */
  public boolean isSerializable(Strategy strategy) {
    return keepsUpdates(strategy)
        && strategy != Strategy.SI
        && !(this == POSTGRESQL && strategy.locks());
  }

  /** What it is. */
  @Override
  public String toString() {
    return label;
  }
}
