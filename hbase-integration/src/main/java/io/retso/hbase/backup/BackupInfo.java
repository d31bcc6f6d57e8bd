package io.retso.hbase.backup;

import io.retso.hbase.SnapshotToken;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.TableName;
import org.apache.yetus.audience.InterfaceAudience;

/**
 * A backup in a directory. Immutable.
 *
 * @param directory where it is
 * @param id random; no other backup has it
 * @param token of its snapshot
 * @param since the name of the directory of the backup that it adds to, beside its own; empty for a
 *     full one
 * @param begun when it was begun, by the clock of the process that took it
 * @param tables in it
 * @param cells in its files
 * @param bytes of its files
 * @param isComplete whether it can be restored; if not, cells and bytes are those of the parts that
 *     are done
 * @since 0.1
 */
@InterfaceAudience.Public
public record BackupInfo(
    Path directory,
    String id,
    SnapshotToken token,
    Optional<String> since,
    Instant begun,
    List<TableName> tables,
    long cells,
    long bytes,
    boolean isComplete) {
  static BackupInfo of(Path directory, Plan plan, List<Plan.Part> parts, boolean isComplete) {
    List<Plan.File> files = parts.stream().flatMap(part -> part.files().stream()).toList();
    return new BackupInfo(
        directory,
        plan.id(),
        plan.token(),
        Optional.ofNullable(plan.since()).map(Plan.Since::directory),
        Instant.parse(plan.begun()),
        plan.tables().stream().map(Plan.Table::tableName).toList(),
        files.stream().mapToLong(Plan.File::cells).sum(),
        files.stream().mapToLong(Plan.File::bytes).sum(),
        isComplete);
  }

  /** The name of the snapshot that is held for it, in {@code retso hbase holds}. */
  public String holdName() {
    return holdName(id);
  }

  static String holdName(String id) {
    return "backup-" + id;
  }
}
