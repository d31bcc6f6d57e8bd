package io.retso.admin;

import io.retso.client.OracleClient;
import io.retso.client.OracleClientBuilder;
import io.retso.hbase.check.DataCheck;
import io.retso.hbase.check.DataCheckOptions;
import io.retso.hbase.check.DataCheckResult;
import io.retso.hbase.check.FindingKind;
import io.retso.hbase.layout.OracleSettings;
import io.retso.hbase.layout.TableSettings;
import io.retso.text.Text;
import java.io.IOException;
import java.util.function.Consumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.AsyncConnection;

/**
 * {@code retso hbase check --data}: a check of a table's data, on connections of its own.
 * Stateless.
 */
final class DataCheckRun {
  /** As HBase has it: a long scan outlives a region that moves, unlike a first contact. */
  private static final int ATTEMPTS_MIN = 15;

  private DataCheckRun() {}

  /**
   * Checks, and prints what is found.
   *
   * @param oracle its addresses, separated by commas
   * @param lines takes findings and the summary
   * @param progress takes what is only of interest meanwhile
   * @return whether data is wrong, or will be
   */
  static boolean findsDanger(
      Configuration configuration,
      String oracle,
      TableName table,
      DataCheckOptions options,
      Consumer<String> lines,
      Consumer<String> progress)
      throws IOException {
    OracleClientBuilder builder =
        OracleSettings.client(configuration, "retso-check")
            .requestTimeout(OracleSettings.timeout(configuration));
    TableSettings.checkedAddresses(oracle).forEach(builder::address);
    Configuration patient = new Configuration(configuration);
    String attempts = HConstants.HBASE_CLIENT_RETRIES_NUMBER;
    patient.setInt(attempts, Math.max(ATTEMPTS_MIN, configuration.getInt(attempts, 0)));
    try (OracleClient client = builder.build();
        AsyncConnection hbase = FirstContact.connect(patient)) {
      DataCheckResult result =
          new DataCheck(
                  client, hbase, options, finding -> lines.accept(finding.toString()), progress)
              .check(table);
      lines.accept("Data of table " + table + ": " + result + ".");
      sayMore(result, options, lines);
      return result.isDanger();
    }
  }

  private static void sayMore(
      DataCheckResult result, DataCheckOptions options, Consumer<String> lines) {
    if (result.untold() > 0) {
      lines.accept(
          Text.of(
              "%,d versions were written by programs without transactions, or have lost their"
                  + " marks: it cannot be told which, unless no such program has ever written to"
                  + " the table (--transactions-only).",
              result.untold()));
    }
    if (options.mend()) {
      lines.accept(Text.of("%,d rows were cleaned up.", result.mended()));
    } else if (result.count(FindingKind.LEFT_OVER) > 0) {
      lines.accept("--mend removes what is left over.");
    }
    if (!result.notMended().isEmpty()) {
      lines.accept("Not all could be cleaned up, try again: " + result.notMended());
    }
  }
}
