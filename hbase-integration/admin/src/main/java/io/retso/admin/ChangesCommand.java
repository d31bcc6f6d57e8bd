package io.retso.admin;

import io.retso.hbase.SnapshotToken;
import io.retso.hbase.TransactionManager;
import io.retso.server.commands.ExitCode;
import io.retso.text.ErrorText;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code retso hbase changes}: what has changed between two snapshots. */
@Command(
    name = "changes",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Prints what has changed in tables between two held snapshots, one line of JSON for each"
          + " column: its value in the later one, or that it is deleted there. What is no UTF-8 is"
          + " in Base64, under a name that ends with 64.",
      ""
    })
final class ChangesCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(
      arity = "1..*",
      paramLabel = "TABLE",
      description = "Names, with their namespace if they have one.")
  private List<String> tables;

  @Option(
      names = "--from",
      required = true,
      paramLabel = "TOKEN",
      description = "The older snapshot, as 'retso hbase hold' prints it.")
  private String from;

  @Option(names = "--to", required = true, paramLabel = "TOKEN", description = "The later one.")
  private String to;

  @Mixin private ClusterOptions cluster;

  @Override
  public Integer call() {
    SnapshotToken since;
    SnapshotToken until;
    List<TableName> names;
    try {
      since = SnapshotToken.parse(from);
      until = SnapshotToken.parse(to);
      names = tables.stream().map(TableName::valueOf).toList();
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), ErrorText.of(e), e);
    }
    return ClusterWork.withOracle(
        spec, cluster, (manager, connection) -> print(manager, connection, since, until, names));
  }

  private int print(
      TransactionManager manager,
      Connection connection,
      SnapshotToken since,
      SnapshotToken until,
      List<TableName> names)
      throws IOException {
    PrintWriter out = spec.commandLine().getOut();
    try {
      for (TableName name : names) {
        Scan scan = manager.changesAt(since, until, name, new Scan().setCacheBlocks(false));
        try (Table table = connection.getTable(name);
            ResultScanner rows = table.getScanner(scan)) {
          Result row;
          while ((row = rows.next()) != null) {
            for (Cell cell : row.rawCells()) {
              out.println(ChangeLine.of(name, cell, manager.isDeleted(cell)));
            }
            if (out.checkError()) { // nothing reads what is printed any more
              return ExitCode.CLEAN.number();
            }
          }
        }
      }
      out.flush();
      return ExitCode.CLEAN.number();
    } catch (IllegalArgumentException e) {
      out.flush();
      return ClusterWork.failed(spec, ErrorText.of(e));
    }
  }
}
