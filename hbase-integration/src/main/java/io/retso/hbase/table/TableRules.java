package io.retso.hbase.table;

import io.retso.hbase.layout.FamilySettings;
import io.retso.hbase.layout.TableSettings;
import io.retso.hbase.options.Reads;
import io.retso.protocol.OracleIdentity;
import io.retso.text.Text;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.CoprocessorDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptor;

/** What must be true of a prepared table for as long as transactions use it. Stateless. */
public final class TableRules {
  /** The coprocessor's class; it is loaded by region servers, by this name. */
  public static final String OBSERVER = "io.retso.hbase.coprocessor.TransactionRegionObserver";

  private TableRules() {}

  /** What is wrong if regions of a table do not run it; {@code regions} says which. */
  static String noCoprocessor(TableName table, String regions) {
    return Text.of(
        "table %s must not be used yet: its regions %s do not run the coprocessor and would"
            + " serve no transactions: set hbase.coprocessor.enabled and"
            + " hbase.coprocessor.user.enabled to true there, and restart",
        table, regions);
  }

  /** What is wrong if a table is prepared for another oracle than the one that is used. */
  public static String otherOracle(TableName table, OracleIdentity its, OracleIdentity used) {
    return Text.of(
        "table %s is prepared for oracle %s, not for %s, which answers here: use that one; or,"
            + " if it was installed anew, and what it knew is lost, prepare the table again",
        table, its, used);
  }

  /** The coprocessor as a table loads it; empty if it does not. */
  public static Optional<CoprocessorDescriptor> observerOf(TableDescriptor table) {
    return table.getCoprocessorDescriptors().stream()
        .filter(coprocessor -> coprocessor.getClassName().equals(OBSERVER))
        .findFirst();
  }

  /**
   * What of a prepared table's descriptor is not as it was prepared. Without the coprocessor server
   * reads fail, and cleanups are left undone.
   */
  public static List<String> violations(TableDescriptor table, TableSettings settings) {
    List<String> found = new ArrayList<>();
    if (settings.reads() == Reads.SERVER && !table.hasCoprocessor(OBSERVER)) {
      found.add("the coprocessor " + OBSERVER + " is missing: prepare the table again");
    }
    found.addAll(FamilySettings.violations(table));
    return found;
  }
}
