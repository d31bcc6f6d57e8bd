package io.retso.admin;

import io.retso.hbase.admin.TablePreparation;
import io.retso.hbase.backup.BackupOptions;
import io.retso.hbase.backup.Restore;
import io.retso.server.commands.ExitCode;
import io.retso.text.ErrorText;
import java.io.IOException;
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

/** {@code retso hbase restore}: makes the tables of a backup. */
@Command(
    name = "restore",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Makes the tables of a backup, with all that it adds to, in this cluster or another one, and"
          + " prepares them. Tables that exist are left alone, and nothing is restored then.",
      ""
    })
final class RestoreCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "DIR", description = "The backup.")
  private String directory;

  @Option(
      names = "--as",
      paramLabel = "PREFIX",
      defaultValue = "",
      description = "Is put in front of the names of the tables.")
  private String prefix;

  @Option(
      names = "--staging",
      paramLabel = "DIR",
      description =
          "Where files are copied to, to be loaded from there: in the file system of the cluster,"
              + " for region servers to read and change. Default: hbase.rootdir of"
              + " hbase-site.xml, with -staging behind it.")
  private String staging;

  @Option(
      names = "--threads",
      paramLabel = "N",
      defaultValue = "" + BackupOptions.THREADS_DEFAULT,
      description = "Files that are copied at a time. Default: ${DEFAULT-VALUE}.")
  private int threads;

  @Mixin private ClusterOptions cluster;

  @Override
  public Integer call() {
    if (threads < 1 || threads > BackupOptions.THREADS_MAX) {
      throw new ParameterException(
          spec.commandLine(), "--threads=" + threads + " is not 1 to " + BackupOptions.THREADS_MAX);
    }
    return ClusterWork.run(spec, cluster, this::restore);
  }

  private int restore(Connection connection) throws IOException {
    TablePreparation preparation;
    try {
      preparation =
          TablePreparation.builder(connection)
              .oracle(cluster.oracle(ClusterWork.settings(connection)))
              .build();
    } catch (IllegalArgumentException e) {
      return ClusterWork.failed(spec, ErrorText.of(e));
    }
    ProgressLines lines = new ProgressLines(spec.commandLine().getErr(), "files copied");
    Restore restore =
        Restore.of(connection, preparation)
            .withPrefix(prefix)
            .withThreads(threads)
            .withProgress(lines::print);
    restore = staging == null ? restore : restore.withStaging(new Path(staging));
    for (TableName made : restore.from(new Path(directory))) {
      ClusterWork.println(spec, "Table " + made + " is restored.");
    }
    return ExitCode.CLEAN.number();
  }
}
