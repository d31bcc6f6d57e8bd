package io.retso.admin;

import io.retso.hbase.TransactionManager;
import io.retso.hbase.backup.Backup;
import io.retso.hbase.backup.BackupInfo;
import io.retso.hbase.backup.BackupOptions;
import io.retso.server.commands.ExitCode;
import io.retso.text.ErrorText;
import io.retso.text.Text;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code retso hbase backup}: all tables at one snapshot, while applications go on. */
@Command(
    name = "backup",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Copies prepared tables, all at one snapshot, while applications go on writing. If it is"
          + " stopped, the same command goes on where it was, at the same snapshot. With --since"
          + " only what has changed since another backup is copied.",
      ""
    })
final class BackupCommand implements Callable<Integer> {
  private static final long BYTES_PER_MB = 1_000_000;

  @Spec private CommandSpec spec;

  @Parameters(
      index = "0",
      paramLabel = "DIR",
      description = "Where to, in any file system of Hadoop: hdfs://..., file:///... .")
  private String directory;

  @Parameters(
      index = "1..*",
      arity = "1..*",
      paramLabel = "TABLE",
      description = "Names, with their namespace if they have one.")
  private List<String> tables;

  @Option(
      names = "--since",
      paramLabel = "DIR",
      description =
          "Adds to this backup of the same tables, which is beside the new one and was taken with"
              + " --keep.")
  private String since;

  @Option(
      names = "--keep",
      paramLabel = "TIME",
      description =
          "Leaves the snapshot held for so long, 1s to 30d, so that another backup can add to this"
              + " one: until then regions keep all versions since. Default: not at all.")
  private String keep;

  @Option(
      names = "--threads",
      paramLabel = "N",
      defaultValue = "" + BackupOptions.THREADS_DEFAULT,
      description = "Regions that are read at a time. Default: ${DEFAULT-VALUE}.")
  private int threads;

  @Option(
      names = "--rate",
      paramLabel = "MB",
      description =
          "Megabytes of cells that are read a second at most, by all threads together, 1 or more,"
              + " so that writers go on as fast as they should. Default: as many as can be.")
  private Integer rate;

  @Mixin private ClusterOptions cluster;

  @Override
  public Integer call() {
    BackupOptions options = options();
    return ClusterWork.withOracle(
        spec, cluster, (manager, connection) -> take(manager, connection, options));
  }

  private BackupOptions options() {
    try {
      BackupOptions options =
          BackupOptions.to(new Path(directory), tables.stream().map(TableName::valueOf).toList())
              .withThreads(threads)
              .withProgress(new ProgressLines(spec.commandLine().getErr(), "regions")::print);
      options = rate == null ? options : options.withBytesPerSecond(rate * BYTES_PER_MB);
      options = since == null ? options : options.withSince(new Path(since));
      return keep == null ? options : options.withKeep(HoldCommand.time("--keep", keep));
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), ErrorText.of(e), e);
    }
  }

  private int take(TransactionManager manager, Connection connection, BackupOptions options)
      throws IOException {
    BackupInfo info = Backup.of(manager, connection).take(options);
    ClusterWork.println(
        spec,
        Text.of(
            "Backup %s of %d tables at %s: %d cells, %s%s.",
            info.directory(),
            info.tables().size(),
            info.token(),
            info.cells(),
            size(info.bytes()),
            info.since().map(base -> ", since " + base).orElse("")));
    return ExitCode.CLEAN.number();
  }

  /** For people. */
  static String size(long bytes) {
    String[] units = {"B", "KB", "MB", "GB", "TB", "PB"};
    double size = bytes;
    int unit = 0;
    while (size >= 1000 && unit < units.length - 1) {
      size /= 1000;
      unit++;
    }
    return Text.of(unit == 0 ? "%.0f %s" : "%.1f %s", size, units[unit]);
  }
}
