package io.retso.hbase.backup;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.yetus.audience.InterfaceAudience;

/**
 * What backups there are. Stateless.
 *
 * @since 0.1
 */
@InterfaceAudience.Public
public final class Backups {
  private Backups() {}

  /**
   * The backup in a directory, and those in the directories in it; oldest first.
   *
   * @throws BackupException if a file of theirs is damaged; says which
   * @throws IOException if there is no such directory, or it cannot be read
   */
  public static List<BackupInfo> list(Configuration configuration, Path directory)
      throws IOException {
    List<BackupInfo> found = new ArrayList<>();
    BackupDirectory above = new BackupDirectory(configuration, directory);
    info(above).ifPresent(found::add);
    for (FileStatus each : above.files().listStatus(above.path())) {
      if (each.isDirectory()) {
        info(new BackupDirectory(configuration, each.getPath())).ifPresent(found::add);
      }
    }
    found.sort(Comparator.comparing(BackupInfo::begun));
    return found;
  }

  private static Optional<BackupInfo> info(BackupDirectory directory) throws IOException {
    Optional<Plan.Manifest> manifest = directory.manifest();
    if (manifest.isPresent()) {
      Plan.Manifest all = manifest.get();
      return Optional.of(BackupInfo.of(directory.path(), all.plan(), all.parts(), true));
    }
    Optional<Plan> plan = directory.plan();
    return plan.isEmpty()
        ? Optional.empty()
        : Optional.of(
            BackupInfo.of(directory.path(), plan.get(), directory.parts(plan.get()), false));
  }
}
