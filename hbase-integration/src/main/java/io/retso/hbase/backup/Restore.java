package io.retso.hbase.backup;

import io.retso.hbase.admin.TablePreparation;
import io.retso.hbase.admin.TablePreparation.Options;
import io.retso.hbase.backup.BackupOptions.Progress;
import io.retso.hbase.futures.Futures;
import io.retso.hbase.futures.Workers;
import io.retso.hbase.layout.PendingWrite;
import io.retso.hbase.table.TableRules;
import io.retso.text.ErrorText;
import io.retso.text.Text;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.tool.BulkLoadHFiles;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.yetus.audience.InterfaceAudience;

/**
 * Restores a backup, with those that it adds to, as new tables of a cluster, prepared for its
 * oracle with the settings that they had.
 *
 * <pre>{@code
 * Restore.of(connection, TablePreparation.builder(connection).oracle("host:7521").build())
 *     .withPrefix("monday-")
 *     .from(directory);
 * }</pre>
 *
 * <p>All files are copied to the cluster's file system and their sums compared before a table is
 * made. Then each table is created, its files are loaded, and it is prepared; until then no
 * transaction can use it. Immutable.
 *
 * @since 0.1
 */
@InterfaceAudience.Public
public final class Restore {
  /** One of two oracles that follow the clock may be a little behind. */
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(3);

  /** Between two looks at the oracle. */
  private static final long PAUSE_MILLIS = 20;

  private static final String SETTINGS = "RETSO_";

  private final Connection connection;
  private final TablePreparation preparation;
  private final String prefix;
  private final Path staging;
  private final int threads;
  private final Consumer<Progress> progress;

  private Restore(
      Connection connection,
      TablePreparation preparation,
      String prefix,
      Path staging,
      int threads,
      Consumer<Progress> progress) {
    this.connection = Objects.requireNonNull(connection, "the connection is null");
    this.preparation = Objects.requireNonNull(preparation, "the preparation is null");
    this.prefix = Objects.requireNonNull(prefix, "the prefix is null: leave it out for none");
    this.staging = staging;
    this.threads = threads;
    this.progress = progress;
  }

  /**
   * Restores to a cluster.
   *
   * @param preparation for the oracle that the tables will belong to
   */
  public static Restore of(Connection connection, TablePreparation preparation) {
    return new Restore(
        connection, preparation, "", null, BackupOptions.THREADS_DEFAULT, copied -> {});
  }

  /** Puts a prefix in front of the names of tables, behind that of their namespace. */
  public Restore withPrefix(String prefix) {
    return new Restore(connection, preparation, prefix, staging, threads, progress);
  }

  /**
   * Where files are copied to first.
   *
   * @param directory in the file system of the cluster, which region servers may read and change.
   *     Default: {@code hbase.rootdir} of the configuration with {@code -staging} appended
   */
  public Restore withStaging(Path directory) {
    return new Restore(connection, preparation, prefix, directory, threads, progress);
  }

  /**
   * How many files are copied at a time.
   *
   * @param count 1 to {@value BackupOptions#THREADS_MAX}
   * @throws IllegalArgumentException if it is another number
   */
  public Restore withThreads(int count) {
    if (count < 1 || count > BackupOptions.THREADS_MAX) {
      throw new IllegalArgumentException(
          count + " threads are not 1 to " + BackupOptions.THREADS_MAX);
    }
    return new Restore(connection, preparation, prefix, staging, count, progress);
  }

  /** Is told of each file that is copied, by the thread that did it; one at a time. */
  public Restore withProgress(Consumer<Progress> listener) {
    Objects.requireNonNull(listener, "the listener is null: leave it out for none");
    return new Restore(connection, preparation, prefix, staging, threads, listener);
  }

  /** A backup of the chain, with its files in the staging directory. */
  private record Link(BackupDirectory directory, Plan.Manifest manifest, Path staged) {
    Path staged(Plan.Part part, int file) {
      return new Path(staged, directory.data(part.table(), part.range(), file).getName());
    }
  }

  /** A table as it will be. */
  private record Target(TableDescriptor before, TableDescriptor after, byte[][] splits) {
    TableName name() {
      return after.getTableName();
    }
  }

  /**
   * Restores the backup in a directory.
   *
   * @return the tables that were made
   * @throws BackupException if it cannot be restored; says why, which tables were made, and what to
   *     do
   */
  public List<TableName> from(Path directory) throws IOException {
    Configuration configuration = connection.getConfiguration();
    Path root =
        staging == null ? new Path(configuration.get(HConstants.HBASE_DIR) + "-staging") : staging;
    FileSystem files = root.getFileSystem(configuration);
    Path own = new Path(files.makeQualified(root), "restore-" + UUID.randomUUID());
    List<Link> chain = chain(new BackupDirectory(configuration, directory), own);
    Plan last = chain.get(chain.size() - 1).manifest.plan();
    List<Target> targets = targets(last);
    requireNoTables(targets);
    requireOracleBeyond(last);
    try {
      stage(chain, targets, files);
      make(chain, targets);
    } finally {
      files.delete(own, true);
    }
    return targets.stream().map(Target::name).toList();
  }

  /** From the full backup on. */
  private static List<Link> chain(BackupDirectory last, Path staged) throws IOException {
    List<Link> chain = new ArrayList<>();
    BackupDirectory directory = last;
    Plan.Since expected = null;
    while (directory != null) {
      Plan.Manifest manifest = directory.requireComplete();
      Plan plan = manifest.plan();
      Plan newer = chain.isEmpty() ? plan : chain.get(chain.size() - 1).manifest.plan();
      if (expected != null
          && (!plan.id().equals(expected.id())
              || plan.timestamp() != expected.timestamp()
              || !plan.oracle().equals(newer.oracle())
              || plan.timestamp() >= newer.timestamp())) {
        throw new BackupException(
            directory.path()
                + " is not the backup that "
                + chain.get(chain.size() - 1).directory.path()
                + " adds to, "
                + expected.id()
                + ": put that one there",
            null);
      }
      chain.add(new Link(directory, manifest, new Path(staged, String.valueOf(chain.size()))));
      expected = plan.since();
      directory = expected == null ? null : directory.beside(expected.directory());
    }
    Collections.reverse(chain);
    return chain;
  }

  private List<Target> targets(Plan plan) throws IOException {
    List<Target> targets = new ArrayList<>();
    for (Plan.Table table : plan.tables()) {
      TableDescriptor before = table.tableDescriptor();
      TableName name = table.tableName();
      TableName as;
      try {
        as = TableName.valueOf(name.getNamespaceAsString(), prefix + name.getQualifierAsString());
      } catch (IllegalArgumentException e) {
        throw new BackupException(
            "no table can have the name " + prefix + name + ": " + ErrorText.of(e), e);
      }
      byte[][] splits =
          table.ranges().stream()
              .map(Plan.Range::startRow)
              .filter(row -> row.length > 0)
              .toArray(byte[][]::new);
      targets.add(new Target(before, unprepared(as, before), splits));
    }
    return targets;
  }

  /** A table that is not prepared yet, or what is loaded would have to pass for what it is not. */
  private static TableDescriptor unprepared(TableName name, TableDescriptor prepared) {
    TableDescriptorBuilder builder =
        TableDescriptorBuilder.newBuilder(TableDescriptorBuilder.copy(name, prepared))
            .removeColumnFamily(PendingWrite.family());
    prepared.getValues().keySet().stream()
        .map(key -> Bytes.toString(key.copyBytes()))
        .filter(key -> key.startsWith(SETTINGS))
        .forEach(builder::removeValue);
    if (prepared.hasCoprocessor(TableRules.OBSERVER)) {
      builder.removeCoprocessor(TableRules.OBSERVER);
    }
    return builder.build();
  }

  private void requireNoTables(List<Target> targets) throws IOException {
    try (Admin admin = connection.getAdmin()) {
      for (Target target : targets) {
        if (admin.tableExists(target.name())) {
          throw new BackupException(
              "table "
                  + target.name()
                  + " exists, and nothing is restored over it: restore with a prefix (--as), or"
                  + " drop it",
              null);
        }
      }
    }
  }

  /** Before anything is made; {@link TablePreparation#prepare} looks at all cells later. */
  private void requireOracleBeyond(Plan plan) throws IOException {
    long begun = System.nanoTime();
    long next = preparation.oracleTimestamp();
    while (next < plan.timestamp() && System.nanoTime() - begun < PATIENCE_NANOS) {
      pause();
      next = preparation.oracleTimestamp();
    }
    if (next < plan.timestamp()) {
      throw new BackupException(
          Text.of(
              "the backup is of timestamp %d, and the oracle that its tables are to belong to is"
                  + " not beyond %d, so its transactions would not see them: one that was busy is"
                  + " ahead of the clock. Use an oracle that is installed anew with"
                  + " timestamps.first=%d or more; or wait until this one is beyond",
              plan.timestamp(), next, plan.timestamp()),
          null);
    }
  }

  private static void pause() throws InterruptedIOException {
    try {
      TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
    } catch (InterruptedException e) {
      throw Futures.interrupted("interrupted while the oracle is waited for", e);
    }
  }

  private void stage(List<Link> chain, List<Target> targets, FileSystem files) throws IOException {
    List<Callable<Void>> copies = new ArrayList<>();
    Copied copied = new Copied();
    for (Link link : chain) {
      files.mkdirs(link.staged);
      for (Plan.Part part : link.manifest.parts()) {
        for (int i = 0; i < part.files().size(); i++) {
          if (target(link, part, targets).after.hasColumnFamily(part.files().get(i).familyName())) {
            int file = i;
            copies.add(
                () -> {
                  copy(link, part, file, files);
                  copied.add(part.files().get(file), copies.size());
                  return null;
                });
          }
        }
      }
    }
    Workers.run(threads, copies, "a restore");
  }

  /** What is copied of all. Thread-safe. */
  private final class Copied {
    private int count;
    private long cells;
    private long bytes;

    synchronized void add(Plan.File file, int of) {
      count++;
      cells += file.cells();
      bytes += file.bytes();
      progress.accept(new Progress(count, of, cells, bytes));
    }
  }

  private static Target target(Link link, Plan.Part part, List<Target> targets)
      throws BackupException {
    TableName name = link.manifest.plan().tables().get(part.table()).tableName();
    return targets.stream()
        .filter(target -> target.before.getTableName().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new BackupException(
                    link.directory.path()
                        + " has table "
                        + name
                        + ", which the backup that adds to it has not: its manifest is damaged",
                    null));
  }

  private static void copy(Link link, Plan.Part part, int number, FileSystem to)
      throws IOException {
    Plan.File file = part.files().get(number);
    Path from = link.directory.data(part.table(), part.range(), number);
    String sum;
    try (OutputStream out = to.create(link.staged(part, number), true)) {
      sum = RangeFiles.copy(link.directory.files(), from, out);
    } catch (FileNotFoundException e) {
      throw new BackupException(from + " is missing: nothing was restored", e);
    }
    if (!sum.equals(file.sha256())) {
      throw new BackupException(
          from + " is damaged, its SHA-256 is not that of the manifest: nothing was restored",
          null);
    }
  }

  private void make(List<Link> chain, List<Target> targets) throws IOException {
    List<TableName> made = new ArrayList<>();
    try (Admin admin = connection.getAdmin()) {
      for (Target target : targets) {
        admin.createTable(target.after, target.splits);
        made.add(target.name());
        for (Link link : chain) {
          load(link, target);
        }
        preparation.prepare(target.name(), Options.of(target.before));
      }
    } catch (IOException | IllegalArgumentException e) {
      throw new BackupException(
          (made.isEmpty()
                  ? "nothing was restored: "
                  : "tables "
                      + made
                      + " were made, not all of them whole: drop them, mend the"
                      + " cause and restore again: ")
              + ErrorText.of(e),
          e);
    }
  }

  private void load(Link link, Target target) throws IOException {
    Map<byte[], List<Path>> files = new TreeMap<>(Bytes.BYTES_COMPARATOR);
    int most = 0;
    for (Plan.Part part : link.manifest.parts()) {
      TableName table = link.manifest.plan().tables().get(part.table()).tableName();
      if (!table.equals(target.before.getTableName())) {
        continue;
      }
      for (int i = 0; i < part.files().size(); i++) {
        byte[] family = part.files().get(i).familyName();
        if (target.after.hasColumnFamily(family)) {
          List<Path> ofFamily = files.computeIfAbsent(family, name -> new ArrayList<>());
          ofFamily.add(link.staged(part, i));
          most = Math.max(most, ofFamily.size());
        }
      }
    }
    if (!files.isEmpty()) {
      Configuration configuration = new Configuration(connection.getConfiguration());
      // Regions of an older backup may have been merged since; it is no reason to stop.
      configuration.setInt(BulkLoadHFiles.MAX_FILES_PER_REGION_PER_FAMILY, most);
      BulkLoadHFiles.create(configuration).bulkLoad(target.name(), files);
    }
  }
}
