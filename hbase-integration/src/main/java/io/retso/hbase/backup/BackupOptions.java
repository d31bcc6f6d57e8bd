package io.retso.hbase.backup;

import io.retso.hbase.SnapshotToken;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.TableName;
import org.apache.yetus.audience.InterfaceAudience;

/**
 * What is backed up, and how. Immutable: each {@code with} makes another one.
 *
 * <pre>{@code
 * BackupOptions.to(new Path("hdfs://nn/backups/monday"), List.of(accounts, tellers))
 *     .withKeep(Duration.ofDays(2))
 * }</pre>
 *
 * @since 0.1
 */
@InterfaceAudience.Public
public final class BackupOptions {
  /** Default of {@link #withThreads}. */
  public static final int THREADS_DEFAULT = 4;

  /** Threads at most. */
  public static final int THREADS_MAX = 256;

  /** Bytes a second at least, {@link #withBytesPerSecond}. */
  public static final long BYTES_PER_SECOND_MIN = 1_000_000;

  /**
   * How far a backup or restore is.
   *
   * @param parts that are done: regions that are read, files that are copied
   * @param of parts in all
   * @param cells that were read, or are in these files
   * @param bytes of the files of parts that are done
   */
  public record Progress(int parts, int of, long cells, long bytes) {}

  private final Path directory;
  private final List<TableName> tables;
  private final Path since;
  private final int threads;
  private final double bytesPerSecond;
  private final Duration keep;
  private final SnapshotToken at;
  private final Consumer<Progress> progress;

  private BackupOptions(
      Path directory,
      List<TableName> tables,
      Path since,
      int threads,
      double bytesPerSecond,
      Duration keep,
      SnapshotToken at,
      Consumer<Progress> progress) {
    this.directory = directory;
    this.tables = tables;
    this.since = since;
    this.threads = threads;
    this.bytesPerSecond = bytesPerSecond;
    this.keep = keep;
    this.at = at;
    this.progress = progress;
  }

  /**
   * A full backup at a snapshot of its own.
   *
   * @param directory in any file system of Hadoop; what is not there is made
   * @param tables one or more, prepared for the oracle, with server reads
   * @throws IllegalArgumentException if there is no table, or one is named twice
   */
  public static BackupOptions to(Path directory, List<TableName> tables) {
    Objects.requireNonNull(directory, "the directory is null");
    List<TableName> copy = List.copyOf(tables);
    if (copy.isEmpty()) {
      throw new IllegalArgumentException("a backup has tables: name one or more");
    }
    if (copy.stream().distinct().count() < copy.size()) {
      throw new IllegalArgumentException("a table is named twice in " + copy);
    }
    return new BackupOptions(
        plain(directory),
        copy,
        null,
        THREADS_DEFAULT,
        Double.POSITIVE_INFINITY,
        null,
        null,
        progress -> {});
  }

  /**
   * Only what has changed since another backup of these tables, which must be complete, and whose
   * snapshot must be held still ({@link #withKeep}).
   *
   * @param base its directory, beside the one of this backup
   */
  public BackupOptions withSince(Path base) {
    Objects.requireNonNull(base, "the base is null: leave it out for a full backup");
    return new BackupOptions(
        directory, tables, plain(base), threads, bytesPerSecond, keep, at, progress);
  }

  /**
   * How many parts (regions) are read at a time.
   *
   * @param count 1 to {@value #THREADS_MAX}
   * @throws IllegalArgumentException if it is another number
   */
  public BackupOptions withThreads(int count) {
    if (count < 1 || count > THREADS_MAX) {
      throw new IllegalArgumentException(count + " threads are not 1 to " + THREADS_MAX);
    }
    return new BackupOptions(directory, tables, since, count, bytesPerSecond, keep, at, progress);
  }

  /**
   * How much is read a second at most, by all threads together: what is left of the machines is for
   * those that write meanwhile. Without it, as much as can be.
   *
   * @param bytes of cells, as HBase sends them: {@value #BYTES_PER_SECOND_MIN} or more
   * @throws IllegalArgumentException if it is less
   */
  public BackupOptions withBytesPerSecond(long bytes) {
    if (bytes < BYTES_PER_SECOND_MIN) {
      throw new IllegalArgumentException(
          bytes + " bytes a second are not " + BYTES_PER_SECOND_MIN + " or more");
    }
    return new BackupOptions(directory, tables, since, threads, bytes, keep, at, progress);
  }

  /**
   * Leaves the snapshot held when the backup is complete, so that another one can add to it.
   *
   * @param time 1 s to 30 days
   */
  public BackupOptions withKeep(Duration time) {
    Objects.requireNonNull(time, "the time is null: leave it out to release the snapshot");
    return new BackupOptions(directory, tables, since, threads, bytesPerSecond, time, at, progress);
  }

  /** At a snapshot that the caller holds, and goes on to hold. */
  public BackupOptions withSnapshot(SnapshotToken token) {
    Objects.requireNonNull(token, "the token is null: leave it out for a snapshot of its own");
    return new BackupOptions(
        directory, tables, since, threads, bytesPerSecond, keep, token, progress);
  }

  /** Is told now and then, and of each part that is done, by the thread at it; one at a time. */
  public BackupOptions withProgress(Consumer<Progress> listener) {
    Objects.requireNonNull(listener, "the listener is null: leave it out for none");
    return new BackupOptions(directory, tables, since, threads, bytesPerSecond, keep, at, listener);
  }

  /** Without the slash at the end that one made of a URI may have, and then no name. */
  static Path plain(Path path) {
    return new Path(path.toString());
  }

  Path directory() {
    return directory;
  }

  List<TableName> tables() {
    return tables;
  }

  Optional<Path> since() {
    return Optional.ofNullable(since);
  }

  int threads() {
    return threads;
  }

  /** Infinite if there is no bound. */
  double bytesPerSecond() {
    return bytesPerSecond;
  }

  Optional<Duration> keep() {
    return Optional.ofNullable(keep);
  }

  Optional<SnapshotToken> at() {
    return Optional.ofNullable(at);
  }

  Consumer<Progress> progress() {
    return progress;
  }
}
