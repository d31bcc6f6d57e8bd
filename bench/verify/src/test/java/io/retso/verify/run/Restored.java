package io.retso.verify.run;

import io.retso.hbase.HeldSnapshot;
import io.retso.hbase.HoldOptions;
import io.retso.hbase.SnapshotToken;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.admin.TablePreparation;
import io.retso.hbase.backup.Backup;
import io.retso.hbase.backup.BackupOptions;
import io.retso.hbase.backup.Restore;
import io.retso.verify.clients.Tokens;
import io.retso.verify.history.HistoryRecorder;
import io.retso.verify.history.Isolation;
import io.retso.verify.history.Step;
import io.retso.verify.history.TimestampPair;
import io.retso.verify.lists.Action;
import io.retso.verify.lists.Findings;
import io.retso.verify.lists.ListKey;
import io.retso.verify.lists.ListStore;
import io.retso.verify.lists.ListStore.ListTransaction;
import io.retso.verify.lists.TableLists;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;

/**
 * A backup that was taken while clients worked, and what is found where it is restored: the history
 * has that as what one transaction has read, which began when the snapshot was asked for, and ended
 * when that was answered.
 *
 * @param directory of the backup
 * @param tables in it
 * @param token of its snapshot
 * @param asked the {@link System#nanoTime} before it was asked for
 * @param answered the one after the answer
 */
record Restored(
    org.apache.hadoop.fs.Path directory,
    List<TableName> tables,
    SnapshotToken token,
    long asked,
    long answered) {
  private static final Duration HELD = Duration.ofMinutes(10);
  private static final int GETS_MAX = 500;

  /**
   * Takes a backup, whose snapshot stays held for ten minutes.
   *
   * @param since what it adds to; empty for a full one
   */
  static Restored take(RunTables place, Path directory, Optional<Restored> since)
      throws IOException {
    org.apache.hadoop.fs.Path target = new org.apache.hadoop.fs.Path(directory.toUri());
    long asked = System.nanoTime();
    HeldSnapshot held =
        place.manager().hold(HoldOptions.named(directory.getFileName().toString()).ttl(HELD));
    long answered = System.nanoTime();
    BackupOptions options =
        BackupOptions.to(target, place.tables()).withSnapshot(held.token()).withThreads(2);
    if (since.isPresent()) {
      options = options.withSince(since.get().directory);
    }
    Backup.of(place.manager(), place.connection()).take(options);
    held.leave();
    return new Restored(target, place.tables(), held.token(), asked, answered);
  }

  /**
   * Restores it, looks for the tokens and reads these lists.
   *
   * @param origin of the history's times
   * @param process in the history
   * @param history is written
   */
  void read(
      Connection elsewhere,
      TransactionManager manager,
      TablePreparation preparation,
      Collection<Long> numbers,
      Findings findings,
      long origin,
      long process,
      Path history)
      throws IOException, ListStore.Violation {
    List<TableName> restored =
        Restore.of(elsewhere, preparation).withPrefix("restored-").from(directory);
    new Tokens(restored).check(manager, findings);
    List<Step> found = new ArrayList<>();
    ListTransaction tx = new TableLists(manager, restored).begin(Isolation.SNAPSHOT, false);
    for (int table = 0; table < ListKey.TABLES; table++) {
      int wanted = table;
      List<ListKey> keys =
          numbers.stream().map(ListKey::ofNumber).filter(key -> key.table() == wanted).toList();
      for (int from = 0; from < keys.size(); from += GETS_MAX) {
        List<ListKey> some = keys.subList(from, Math.min(keys.size(), from + GETS_MAX));
        List<long[]> lists = tx.run(new Action.Get(some));
        for (int i = 0; i < lists.size(); i++) {
          found.add(Step.read(some.get(i).number(), lists.get(i)));
        }
      }
    }
    tx.rollback();
    record(found, origin, process, history);
    drop(elsewhere, restored);
  }

  private void record(List<Step> found, long origin, long process, Path history)
      throws IOException {
    AtomicLong clock = new AtomicLong(origin);
    try (HistoryRecorder recorder =
        new HistoryRecorder(Files.newOutputStream(history), clock::get)) {
      clock.set(asked);
      List<Step> planned = new ArrayList<>();
      for (Step read : found) {
        planned.add(Step.read(read.key()));
      }
      recorder.invoke(process, planned);
      clock.set(answered);
      recorder.ok(process, found, TimestampPair.started(token.timestamp()));
    }
  }

  private static void drop(Connection connection, List<TableName> tables) throws IOException {
    try (Admin admin = connection.getAdmin()) {
      for (TableName table : tables) {
        admin.disableTable(table);
        admin.deleteTable(table);
      }
    }
  }
}
