package io.retso.admin;

import io.retso.hbase.Hold;
import io.retso.hbase.SnapshotToken;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.backup.BackupInfo;
import io.retso.hbase.backup.Backups;
import io.retso.server.commands.ExitCode;
import io.retso.text.Text;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.Callable;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.client.Connection;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code retso hbase backups}: lists backups. */
@Command(
    name = "backups",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Lists the backups in a directory, oldest first: whether they are complete, what they add to,"
          + " and whether another one can add to them.",
      ""
    })
final class BackupsCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "DIR", description = "A directory of backups, or one backup.")
  private String directory;

  @Mixin private ClusterOptions cluster;

  @Override
  public Integer call() {
    return ClusterWork.withOracle(spec, cluster, this::list);
  }

  private int list(TransactionManager manager, Connection connection) throws IOException {
    List<BackupInfo> backups;
    try {
      backups = Backups.list(connection.getConfiguration(), new Path(directory));
    } catch (FileNotFoundException e) {
      return ClusterWork.failed(spec, "there is no directory " + directory + ": name another one");
    }
    List<SnapshotToken> held = manager.holds().stream().map(Hold::token).toList();
    backups.forEach(info -> ClusterWork.println(spec, line(info, held.contains(info.token()))));
    if (backups.isEmpty()) {
      ClusterWork.println(spec, "No backup.");
    }
    return ExitCode.CLEAN.number();
  }

  private static String line(BackupInfo info, boolean isHeld) {
    return Text.of(
        "%s  %s, %s, %s, tables %s, %d cells, %s%s",
        info.directory().getName(),
        info.begun().truncatedTo(ChronoUnit.SECONDS),
        info.since().map(base -> "since " + base).orElse("full"),
        info.isComplete() ? "complete" : "NOT complete",
        info.tables(),
        info.cells(),
        BackupCommand.size(info.bytes()),
        isHeld ? ", its snapshot is held" : "");
  }
}
