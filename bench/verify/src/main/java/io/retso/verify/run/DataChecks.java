package io.retso.verify.run;

import io.retso.client.OracleClient;
import io.retso.hbase.check.DataCheck;
import io.retso.hbase.check.DataCheckOptions;
import io.retso.hbase.check.DataCheckResult;
import io.retso.hbase.check.Finding;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.apache.hadoop.hbase.TableName;

/**
 * Judges all that is in the tables of a run, as {@code retso hbase check --data} does: a version
 * that has lost its mark may be one that no client happened to read. Only transactions write to
 * these tables. Stateless.
 */
final class DataChecks {
  private static final int SHOWN_MAX = 5;

  private static final DataCheckOptions OPTIONS =
      new DataCheckOptions(
          true, false, DataCheckOptions.DEFAULT.threads(), DataCheckOptions.DEFAULT.patience());

  private DataChecks() {}

  /**
   * Judges them.
   *
   * @param violations takes one line for each table in which something is found
   */
  static void run(RunTables place, Consumer<String> violations) throws IOException {
    try (OracleClient oracle = place.access().client("checks").build()) {
      for (TableName table : place.tables()) {
        List<Finding> shown = new ArrayList<>();
        DataCheckResult result =
            new DataCheck(
                    oracle,
                    place.asyncConnection(),
                    OPTIONS,
                    finding -> {
                      if (shown.size() < SHOWN_MAX) {
                        shown.add(finding);
                      }
                    },
                    line -> {})
                .check(table);
        if (!shown.isEmpty()) {
          violations.accept("data of table " + table + ": " + result + "; among it " + shown);
        }
      }
    }
  }
}
