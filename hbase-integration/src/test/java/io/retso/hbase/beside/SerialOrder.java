package io.retso.hbase.beside;

import io.retso.hbase.ReadTransaction;
import io.retso.hbase.Transaction;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.beside.Statement.Way;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Scan;

/**
 * Looks for a serial order of transactions in which each learns what it has learnt, and which
 * leaves behind what they have left: tries them all, within a transaction that is rolled back.
 */
final class SerialOrder {
  /**
   * One that committed.
   *
   * @param outcomes of its steps
   */
  record Committed(long start, long commit, List<SerialStep> steps, List<String> outcomes) {}

  private final TransactionManager manager;
  private final TableName name;

  /** Orders are tried in a table that is as the one of the transactions was before them. */
  SerialOrder(TransactionManager manager, TableName name) {
    this.manager = manager;
    this.name = name;
  }

  /** All that a transaction sees. */
  static String all(ReadTransaction tx, TableName name) throws Exception {
    return Outcome.of(
        new Statement(Way.SCAN, List.of(new Scan())),
        new AnyTable.Blocking(tx.table(name).asTable()));
  }

  /**
   * Whether there is one that also keeps the order of real time.
   *
   * @param left what they left behind
   */
  boolean exists(List<Committed> all, String left) throws Exception {
    return exists(new ArrayList<>(), all, left);
  }

  private boolean exists(List<Committed> first, List<Committed> rest, String left)
      throws Exception {
    if (rest.isEmpty()) {
      return fits(first, left);
    }
    for (Committed next : rest) {
      if (rest.stream().noneMatch(other -> other.commit < next.start)) {
        List<Committed> longer = new ArrayList<>(first);
        longer.add(next);
        List<Committed> others = new ArrayList<>(rest);
        others.remove(next);
        if (exists(longer, others, left)) {
          return true;
        }
      }
    }
    return false;
  }

  private boolean fits(List<Committed> order, String left) throws Exception {
    try (Transaction tx = manager.begin()) {
      for (Committed next : order) {
        for (int i = 0; i < next.steps.size(); i++) {
          String outcome = next.steps.get(i).in(tx, name);
          if (!Outcome.isEqual(next.outcomes.get(i), outcome)) {
            return false;
          }
        }
      }
      return all(tx, name).equals(left);
    }
  }
}
