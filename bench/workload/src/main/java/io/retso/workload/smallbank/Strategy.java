package io.retso.workload.smallbank;

import io.retso.workload.Isolation;
import io.retso.workload.Row;
import io.retso.workload.StoreTransaction;
import java.io.IOException;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * How to make the programs serializable: Table I of the paper, and what ReTSO has for it. Under
 * snapshot isolation the one dangerous structure is Bal to WC (by either account) to TS (by
 * savings); each strategy takes one of these two edges, or all of their kind, away.
 */
public enum Strategy {
  /** Nothing, at PostgreSQL's default: updates are lost. */
  READ_COMMITTED("READ COMMITTED"),
  /** Nothing: snapshot isolation, with its anomalies. */
  SI("SI"),
  MATERIALIZE_WT("MaterializeWT", Kind.WC, Kind.TS),
  PROMOTE_WT_UPD("PromoteWT-upd", Touch.WRITE, Touch.READ, Touch.READ),
  PROMOTE_WT_SFU("PromoteWT-sfu", Touch.LOCK, Touch.READ, Touch.READ),
  VALIDATE_WT("ValidateWT", Touch.VALIDATE, Touch.READ, Touch.READ),
  MATERIALIZE_BW("MaterializeBW", Kind.BAL, Kind.WC),
  PROMOTE_BW_UPD("PromoteBW-upd", Touch.READ, Touch.READ, Touch.WRITE),
  PROMOTE_BW_SFU("PromoteBW-sfu", Touch.READ, Touch.READ, Touch.LOCK),
  MATERIALIZE_ALL("MaterializeALL", Kind.values()),
  PROMOTE_ALL("PromoteALL", Touch.WRITE, Touch.WRITE, Touch.WRITE),
  /** The programs as they are, at the level that promises it. */
  SERIALIZABLE("SERIALIZABLE");

  /** What a program does to a row that it reads and would not write. */
  enum Touch {
    READ,
    WRITE,
    LOCK,
    VALIDATE;

    /** Reads the row in this way. */
    byte[] get(StoreTransaction tx, Row row) throws IOException {
      return switch (this) {
        case READ -> tx.get(row);
        case LOCK -> tx.lock(row);
        case VALIDATE -> tx.validate(row);
        case WRITE -> {
          byte[] value = tx.get(row);
          tx.put(row, value);
          yield value;
        }
      };
    }
  }

  private final String label;
  private final Touch savingsOfWriteCheck;
  private final Touch savingsOfBalance;
  private final Touch checkingOfBalance;
  private final Set<Kind> materialized;

  Strategy(String label, Kind... materialized) {
    this(label, Touch.READ, Touch.READ, Touch.READ, materialized);
  }

  Strategy(
      String label,
      Touch savingsOfWriteCheck,
      Touch savingsOfBalance,
      Touch checkingOfBalance,
      Kind... materialized) {
    this.label = label;
    this.savingsOfWriteCheck = savingsOfWriteCheck;
    this.savingsOfBalance = savingsOfBalance;
    this.checkingOfBalance = checkingOfBalance;
    this.materialized = EnumSet.noneOf(Kind.class);
    this.materialized.addAll(List.of(materialized));
  }

  /** Its name in the paper. */
  public String label() {
    return label;
  }

  /** At which the programs run. */
  public Isolation isolation() {
    return switch (this) {
      case READ_COMMITTED -> Isolation.READ_COMMITTED;
      case SERIALIZABLE -> Isolation.SERIALIZABLE;
      default -> Isolation.SNAPSHOT;
    };
  }

  /** Whether the paper has it, as a way to be serializable. */
  public boolean isOfThePaper() {
    return isolation() == Isolation.SNAPSHOT && this != SI && this != VALIDATE_WT;
  }

  /** Whether a read row is locked instead of written. */
  public boolean locks() {
    return savingsOfWriteCheck == Touch.LOCK || checkingOfBalance == Touch.LOCK;
  }

  Touch savingsOfWriteCheck() {
    return savingsOfWriteCheck;
  }

  Touch savingsOfBalance() {
    return savingsOfBalance;
  }

  Touch checkingOfBalance() {
    return checkingOfBalance;
  }

  /** Whether the program writes the row of its customer in the table Conflict. */
  boolean isMaterialized(Kind kind) {
    return materialized.contains(kind);
  }

  /** Whether the program changes nothing, and locks nothing. */
  boolean isReadOnly(Kind kind) {
    return kind == Kind.BAL
        && !isMaterialized(kind)
        && savingsOfBalance == Touch.READ
        && checkingOfBalance == Touch.READ;
  }
}
