package io.retso.hbase.backup;

import static io.retso.hbase.Fixture.F;
import static io.retso.hbase.Fixture.Q;
import static io.retso.hbase.Fixture.bytes;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.Fixture;
import io.retso.hbase.Hold;
import io.retso.hbase.RetsoCluster;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.admin.TablePreparation.Options;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Put;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** What a backup keeps to: its rate, and the tables that it began with. */
@ExtendWith(RetsoCluster.Extension.class)
@Timeout(300)
class BackupLimitsTest {
  @TempDir java.nio.file.Path directory;

  private Fixture fixture;
  private TransactionManager manager;

  @BeforeEach
  void open(Fixture fixture) throws Exception {
    this.fixture = fixture;
    manager = fixture.manager();
  }

  private Path path(String name) {
    return new Path(directory.resolve(name).toUri());
  }

  private Backup backup() {
    return Backup.of(manager, fixture.cluster.connection());
  }

  /** Never faster, whatever the machine does. */
  @Test
  void aRateIsKept() throws Exception {
    TableName table = fixture.table(Options.DEFAULT);
    int rows = 20;
    int bytes = 100_000;
    manager.run(
        tx -> {
          for (int i = 0; i < rows; i++) {
            tx.table(table).put(new Put(bytes("r" + i)).addColumn(F, Q, new byte[bytes]));
          }
          return null;
        });
    long begun = System.nanoTime();
    backup()
        .take(
            BackupOptions.to(path("slow"), List.of(table))
                .withBytesPerSecond(BackupOptions.BYTES_PER_SECOND_MIN));
    double seconds = (System.nanoTime() - begun) / 1e9;
    assertTrue(
        seconds >= (double) (rows - 1) * bytes / BackupOptions.BYTES_PER_SECOND_MIN,
        () -> seconds + " s");
  }

  /** A truncated table has no tombstones of what it had. */
  @Test
  void aTableThatWasTruncatedIsNoticed() throws Exception {
    List<TableName> tables =
        List.of(fixture.table(Options.DEFAULT), fixture.table(Options.DEFAULT));
    manager.run(
        tx -> {
          for (TableName table : tables) {
            tx.table(table).put(new Put(bytes("a")).addColumn(F, Q, bytes("1")));
          }
          return null;
        });
    backup().take(BackupOptions.to(path("before"), tables).withKeep(Duration.ofMinutes(5)));
    truncate(tables.get(0));
    assertRefused(
        BackupOptions.to(path("after"), tables).withSince(path("before")), "was disabled since");
    BackupOptions during =
        BackupOptions.to(path("during"), tables)
            .withThreads(1)
            .withProgress(
                progress -> {
                  if (progress.parts() == 1) {
                    truncate(tables.get(1));
                  }
                });
    assertRefused(during, "was disabled while it was read");
    Restore restore =
        Restore.of(fixture.cluster.connection(), fixture.preparation()).withPrefix("during-");
    assertThrows(BackupException.class, () -> restore.from(path("during")));
    for (Hold hold : manager.holds()) {
      assertTrue(manager.release(hold.token()));
    }
  }

  private void truncate(TableName table) {
    try (Admin admin = fixture.cluster.connection().getAdmin()) {
      admin.disableTable(table);
      admin.truncateTable(table, true);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void assertRefused(BackupOptions options, String why) {
    BackupException e = assertThrows(BackupException.class, () -> backup().take(options));
    assertTrue(e.getMessage().contains(why), e.getMessage());
  }
}
