package io.retso.hbase.backup;

import io.retso.hbase.HeldSnapshot;
import io.retso.hbase.Hold;
import io.retso.hbase.HoldOptions;
import io.retso.hbase.SnapshotToken;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.backup.BackupOptions.Progress;
import io.retso.hbase.errors.SnapshotTooOldException;
import io.retso.hbase.futures.Workers;
import io.retso.hbase.layout.Refusal;
import io.retso.text.ErrorText;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hbase.thirdparty.com.google.common.util.concurrent.RateLimiter;
import org.apache.yetus.audience.InterfaceAudience;

/**
 * Takes backups of prepared tables, all at one snapshot, while applications go on writing.
 *
 * <pre>{@code
 * Backup.of(manager, connection).take(BackupOptions.to(directory, List.of(accounts, tellers)));
 * }</pre>
 *
 * <p>A backup that was stopped goes on where it was, at its snapshot, when it is taken once more
 * with the same directory. Thread-safe; one process at a time may take a backup into a directory.
 *
 * @since 0.1
 */
@InterfaceAudience.Public
public final class Backup {
  /** How long a snapshot outlives a process that has died, unless it is kept for longer. */
  private static final Duration HOLD = Duration.ofHours(6);

  private final TransactionManager manager;
  private final Connection connection;

  private Backup(TransactionManager manager, Connection connection) {
    this.manager = Objects.requireNonNull(manager, "the manager is null");
    this.connection = Objects.requireNonNull(connection, "the connection is null");
  }

  /** Backups of the tables of a cluster; both stay open. */
  public static Backup of(TransactionManager manager, Connection connection) {
    return new Backup(manager, connection);
  }

  /**
   * Takes a backup, or goes on with the one that was begun in its directory.
   *
   * @throws BackupException if it cannot be taken; says why and what to do
   * @throws IOException if HBase, the oracle or the file system fails: it goes on when it is taken
   *     once more, before its snapshot ends
   */
  public BackupInfo take(BackupOptions options) throws IOException {
    BackupDirectory directory =
        new BackupDirectory(connection.getConfiguration(), options.directory());
    if (directory.manifest().isPresent()) {
      throw new BackupException(
          directory.path() + " has a complete backup: take another directory", null);
    }
    Optional<Plan> begun = directory.plan();
    if (begun.isEmpty()) {
      return begin(options, directory);
    }
    requireSame(begun.get(), options, directory);
    return finish(begun.get(), options, directory, resumed(begun.get(), directory));
  }

  private BackupInfo begin(BackupOptions options, BackupDirectory directory) throws IOException {
    String id = UUID.randomUUID().toString().replace("-", "");
    Optional<Plan> base = base(options, directory);
    HeldSnapshot held = options.at().isPresent() ? null : hold(id, options);
    Plan plan = null;
    try {
      Plan made = plan(id, options, base, held);
      directory.begin(made);
      plan = made;
    } finally {
      if (held != null && plan == null) {
        held.close();
      }
    }
    return finish(plan, options, directory, held);
  }

  private HeldSnapshot hold(String id, BackupOptions options) throws IOException {
    try {
      return manager.hold(
          HoldOptions.named(BackupInfo.holdName(id)).ttl(options.keep().orElse(HOLD)));
    } catch (IllegalArgumentException e) {
      throw new BackupException(ErrorText.of(e), e);
    }
  }

  /**
   * Reads what is left to be read.
   *
   * @param held null if the snapshot is the caller's
   */
  private BackupInfo finish(
      Plan plan, BackupOptions options, BackupDirectory directory, HeldSnapshot held)
      throws IOException {
    try {
      BackupInfo info = readAll(plan, options, directory);
      if (held != null && options.keep().isEmpty()) {
        held.close();
      }
      releaseBase(plan);
      return info;
    } catch (IOException e) {
      throw explained(e, directory);
    } finally {
      if (held != null) {
        held.leave(); // for the next attempt, or the next increment
      }
    }
  }

  private static void requireSame(Plan plan, BackupOptions options, BackupDirectory directory)
      throws BackupException {
    String what = null;
    if (!plan.tables().stream().map(Plan.Table::tableName).toList().equals(options.tables())) {
      what = "tables " + plan.tables().stream().map(Plan.Table::name).toList();
    } else if (!Optional.ofNullable(plan.since())
        .map(Plan.Since::directory)
        .equals(options.since().map(base -> base.getName()))) {
      what = plan.since() == null ? "no --since" : "--since " + plan.since().directory();
    } else if (options.at().isPresent() && !options.at().get().equals(plan.token())) {
      what = "snapshot " + plan.token();
    }
    if (what != null) {
      throw new BackupException(
          "the backup that was begun in "
              + directory.path()
              + " has "
              + what
              + ": name the same, or take another directory",
          null);
    }
  }

  private HeldSnapshot resumed(Plan plan, BackupDirectory directory) throws IOException {
    try {
      return plan.isHeld() ? manager.resume(plan.token()) : null;
    } catch (IllegalArgumentException e) {
      throw new BackupException(
          "the backup in " + directory.path() + " cannot go on: " + ErrorText.of(e), e);
    } catch (SnapshotTooOldException e) {
      throw ended(directory, e);
    }
  }

  private static BackupException ended(BackupDirectory directory, IOException cause) {
    return new BackupException(
        "a snapshot that the backup in "
            + directory.path()
            + " needs is held no longer, so it cannot be completed: delete the directory, and begin"
            + " a full backup in another one, with a longer --keep",
        cause);
  }

  private static IOException explained(IOException failure, BackupDirectory directory) {
    return Refusal.of(failure) == Refusal.SNAPSHOT_TOO_OLD ? ended(directory, failure) : failure;
  }

  /** The plan of the backup that is added to, if it can be. */
  private Optional<Plan> base(BackupOptions options, BackupDirectory directory) throws IOException {
    if (options.since().isEmpty()) {
      return Optional.empty();
    }
    BackupDirectory base =
        new BackupDirectory(connection.getConfiguration(), options.since().get());
    String name = base.path().getName();
    if (!base.path().getParent().equals(directory.path().getParent())
        || base.path().equals(directory.path())
        || !Plan.isDirectoryName(name)) {
      throw new BackupException(
          base.path()
              + " is not beside "
              + directory.path()
              + ": backups that add to each other are found by their names, so put them into one"
              + " directory",
          null);
    }
    Plan plan = base.requireComplete().plan();
    Set<TableName> its = new HashSet<>();
    plan.tables().forEach(table -> its.add(table.tableName()));
    if (!its.equals(Set.copyOf(options.tables()))) {
      throw new BackupException(
          "the backup in " + base.path() + " has other tables, " + its + ": name the same", null);
    }
    if (!isHeld(plan.token())) {
      throw new BackupException(
          "the snapshot of "
              + base.path()
              + " is not held any longer, or is another oracle's, so what changed since is not"
              + " known: take a full backup, with --keep",
          null);
    }
    return Optional.of(plan);
  }

  private boolean isHeld(SnapshotToken token) throws IOException {
    return manager.holds().stream().map(Hold::token).anyMatch(token::equals);
  }

  private Plan plan(String id, BackupOptions options, Optional<Plan> base, HeldSnapshot held)
      throws IOException {
    SnapshotToken token = held == null ? options.at().orElseThrow() : held.token();
    List<Plan.Table> tables = new ArrayList<>();
    for (TableName name : options.tables()) {
      tables.add(table(name, token, base));
    }
    return new Plan(
        Plan.FORMAT,
        id,
        token.oracle().toString(),
        token.timestamp(),
        held != null,
        base.map(of -> since(of, options)).orElse(null),
        Instant.now().toString(),
        tables);
  }

  private static Plan.Since since(Plan base, BackupOptions options) {
    return new Plan.Since(base.id(), options.since().orElseThrow().getName(), base.timestamp());
  }

  private Plan.Table table(TableName name, SnapshotToken token, Optional<Plan> base)
      throws IOException {
    TableDescriptor descriptor;
    try (Admin admin = connection.getAdmin()) {
      descriptor = admin.getDescriptor(name);
    }
    scan(name, token, null, new Scan()); // refuses what is not prepared, or has client reads
    TableIdentity identity = TableIdentity.of(connection, descriptor);
    for (Plan.Table before : base.map(Plan::tables).orElse(List.of())) {
      if (before.tableName().equals(name)) {
        identity.requireSame(before);
      }
    }
    return new Plan.Table(
        name.getNameAsString(),
        identity,
        Plan.text(TableDescriptorBuilder.toByteArray(descriptor)),
        List.of(descriptor.getColumnFamilies()).stream()
            .map(ColumnFamilyDescriptor::getNameAsString)
            .toList(),
        ranges(name));
  }

  private void requireNeverDisabled(Plan plan, BackupDirectory directory) throws IOException {
    for (Plan.Table table : plan.tables()) {
      if (TableIdentity.stateVersion(connection, table.tableName())
          != table.identity().stateVersion()) {
        throw new BackupException(
            "table "
                + table.name()
                + " was disabled while it was read, and may have been truncated then, or restored"
                + " from a snapshot of HBase: delete "
                + directory.path()
                + ", and begin again in another directory",
            null);
      }
    }
  }

  /** From one region's first key to the next one's: no row is in none, or in two. */
  private List<Plan.Range> ranges(TableName name) throws IOException {
    List<byte[]> starts = new ArrayList<>();
    starts.add(new byte[0]);
    try (RegionLocator regions = connection.getRegionLocator(name)) {
      for (HRegionLocation region : regions.getAllRegionLocations()) {
        starts.add(region.getRegion().getStartKey());
      }
    }
    starts.sort(Bytes.BYTES_COMPARATOR);
    List<Plan.Range> ranges = new ArrayList<>();
    for (int i = 0; i < starts.size(); i++) {
      byte[] stop = i + 1 < starts.size() ? starts.get(i + 1) : new byte[0];
      if (i + 1 == starts.size() || !Bytes.equals(starts.get(i), stop)) {
        ranges.add(new Plan.Range(Plan.text(starts.get(i)), Plan.text(stop)));
      }
    }
    return ranges;
  }

  private Scan scan(TableName name, SnapshotToken token, SnapshotToken since, Scan scan)
      throws IOException {
    try {
      return since == null
          ? manager.scanAt(token, name, scan)
          : manager.changesAt(since, token, name, scan);
    } catch (IllegalArgumentException e) {
      throw new BackupException(ErrorText.of(e), e);
    }
  }

  private BackupInfo readAll(Plan plan, BackupOptions options, BackupDirectory directory)
      throws IOException {
    Done done = new Done(plan, directory.parts(plan), options.progress());
    RateLimiter rate = RateLimiter.create(options.bytesPerSecond());
    List<Callable<Void>> tasks = new ArrayList<>();
    for (int table = 0; table < plan.tables().size(); table++) {
      TableDescriptor descriptor = plan.tables().get(table).tableDescriptor();
      for (int range = 0; range < plan.tables().get(table).ranges().size(); range++) {
        if (!done.has(table, range)) {
          int[] at = {table, range};
          tasks.add(() -> read(plan, descriptor, at[0], at[1], directory, rate, done));
        }
      }
    }
    Workers.run(options.threads(), tasks, "a backup");
    requireNeverDisabled(plan, directory);
    directory.complete(new Plan.Manifest(plan, done.parts()));
    return BackupInfo.of(directory.path(), plan, done.parts(), true);
  }

  private Void read(
      Plan plan,
      TableDescriptor descriptor,
      int table,
      int range,
      BackupDirectory directory,
      RateLimiter rate,
      Done done)
      throws IOException {
    Plan.Range keys = plan.tables().get(table).ranges().get(range);
    Scan scan =
        new Scan().withStartRow(keys.startRow()).withStopRow(keys.stopRow()).setCacheBlocks(false);
    SnapshotToken since =
        plan.since() == null
            ? null
            : new SnapshotToken(plan.token().oracle(), plan.since().timestamp());
    TableName name = descriptor.getTableName();
    try (Table rows = connection.getTable(name);
        ResultScanner scanner = rows.getScanner(scan(name, plan.token(), since, scan));
        RangeFiles files =
            new RangeFiles(connection.getConfiguration(), directory, descriptor, table, range)) {
      Plan.Part part =
          new Plan.Part(plan.id(), table, range, files.write(scanner, rate, done::read));
      directory.write(part);
      done.add(part, files.told());
      return null;
    }
  }

  /** The one that is added to was held for this. */
  private void releaseBase(Plan plan) throws IOException {
    if (plan.since() == null) {
      return;
    }
    String name = BackupInfo.holdName(plan.since().id());
    for (Hold hold : manager.holds()) {
      if (hold.name().equals(name) && hold.token().timestamp() == plan.since().timestamp()) {
        manager.release(hold.token());
      }
    }
  }

  /** Parts that are done. Thread-safe. */
  private static final class Done {
    private static final Comparator<List<Integer>> ORDER =
        Comparator.<List<Integer>>comparingInt(part -> part.get(0))
            .thenComparingInt(part -> part.get(1));

    private final SortedMap<List<Integer>, Plan.Part> parts = new TreeMap<>(ORDER);
    private final Consumer<Progress> listener;
    private final int all;
    private long cells;
    private long bytes;

    Done(Plan plan, List<Plan.Part> parts, Consumer<Progress> listener) {
      this.listener = listener;
      this.all = plan.tables().stream().mapToInt(table -> table.ranges().size()).sum();
      parts.forEach(this::count);
    }

    private void count(Plan.Part part) {
      parts.put(List.of(part.table(), part.range()), part);
      for (Plan.File file : part.files()) {
        cells += file.cells();
        bytes += file.bytes();
      }
    }

    synchronized void read(long more) {
      cells += more;
      tell();
    }

    private void tell() {
      listener.accept(new Progress(parts.size(), all, cells, bytes));
    }

    synchronized boolean has(int table, int range) {
      return parts.containsKey(List.of(table, range));
    }

    /** A part of which so many cells were told before. */
    synchronized void add(Plan.Part part, long told) {
      cells -= told;
      count(part);
      tell();
    }

    synchronized List<Plan.Part> parts() {
      return List.copyOf(parts.values());
    }
  }
}
