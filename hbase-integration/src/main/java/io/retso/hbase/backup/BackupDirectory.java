package io.retso.hbase.backup;

import io.retso.text.ErrorText;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.Reader;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hbase.thirdparty.com.google.gson.Gson;
import org.apache.hbase.thirdparty.com.google.gson.JsonParseException;

/**
 * The files of a backup:
 *
 * <pre>
 *   plan.json        before all others: what is to be read, at which snapshot
 *   data/T-R-F.hfile family F of range R of table T; numbers
 *   parts/T-R.json   a range that is done: its files and their sums
 *   manifest.json    when all are done. Without it there is no backup
 * </pre>
 *
 * <p>Each is written under another name, and renamed when it is whole. Thread-safe.
 */
final class BackupDirectory {
  private static final String PLAN = "plan.json";
  private static final String MANIFEST = "manifest.json";
  private static final String UNFINISHED = ".unfinished";

  private final Gson json = new Gson();
  private final FileSystem files;
  private final Path path;

  BackupDirectory(Configuration configuration, Path directory) throws IOException {
    this.files = directory.getFileSystem(configuration);
    this.path = files.makeQualified(BackupOptions.plain(directory));
  }

  Path path() {
    return path;
  }

  FileSystem files() {
    return files;
  }

  /** The directory of this name beside this one. */
  BackupDirectory beside(String name) throws IOException {
    return new BackupDirectory(files.getConf(), new Path(path.getParent(), name));
  }

  Optional<Plan> plan() throws IOException {
    return read(new Path(path, PLAN), Plan.class);
  }

  /** Empty if the backup is not complete. */
  Optional<Plan.Manifest> manifest() throws IOException {
    return read(new Path(path, MANIFEST), Plan.Manifest.class);
  }

  /**
   * The manifest of a backup that is to be used.
   *
   * @throws BackupException if it is none, or not complete
   */
  Plan.Manifest requireComplete() throws IOException {
    Optional<Plan.Manifest> manifest = manifest();
    if (manifest.isEmpty()) {
      throw new BackupException(
          path
              + (plan().isPresent()
                  ? " is no complete backup, as it has no manifest: run the command that took it"
                      + " once more, which goes on where it stopped"
                  : " has no backup: 'retso hbase backups' lists those below a directory"),
          null);
    }
    return manifest.get();
  }

  /** Fails if something else is there. */
  void begin(Plan plan) throws IOException {
    files.mkdirs(path);
    for (FileStatus other : files.listStatus(path)) {
      if (!other.getPath().getName().endsWith(UNFINISHED)) {
        throw new BackupException(
            path + " is not empty, and has no backup: take another directory", null);
      }
    }
    write(new Path(path, PLAN), plan);
  }

  void complete(Plan.Manifest manifest) throws IOException {
    write(new Path(path, MANIFEST), manifest);
  }

  /** Parts of the plan that are done. */
  List<Plan.Part> parts(Plan plan) throws IOException {
    List<Plan.Part> done = new ArrayList<>();
    for (int table = 0; table < plan.tables().size(); table++) {
      for (int range = 0; range < plan.tables().get(table).ranges().size(); range++) {
        read(part(table, range), Plan.Part.class)
            .filter(part -> part.plan().equals(plan.id()))
            .ifPresent(done::add);
      }
    }
    return done;
  }

  void write(Plan.Part part) throws IOException {
    write(part(part.table(), part.range()), part);
  }

  private Path part(int table, int range) {
    return new Path(path, "parts/" + table + "-" + range + ".json");
  }

  /** A file of data. */
  Path data(int table, int range, int file) {
    return new Path(path, "data/" + table + "-" + range + "-" + file + ".hfile");
  }

  static Path unfinished(Path file) {
    return file.suffix(UNFINISHED);
  }

  /** Gives a whole file its name. */
  void rename(Path file) throws IOException {
    files.delete(file, false);
    if (!files.rename(unfinished(file), file)) {
      throw new BackupException(
          unfinished(file) + " cannot be renamed: check the rights in " + path, null);
    }
  }

  private void write(Path file, Object content) throws IOException {
    try (Writer out =
        new OutputStreamWriter(files.create(unfinished(file), true), StandardCharsets.UTF_8)) {
      json.toJson(content, out);
    }
    rename(file);
  }

  private <T> Optional<T> read(Path file, Class<T> type) throws IOException {
    try (Reader in = new InputStreamReader(files.open(file), StandardCharsets.UTF_8)) {
      T content = json.fromJson(in, type);
      if (content == null) {
        throw damaged(file, "it is empty", null);
      }
      return Optional.of(content);
    } catch (FileNotFoundException e) {
      return Optional.empty();
    } catch (JsonParseException e) {
      throw damaged(file, ErrorText.of(e), e);
    } catch (RuntimeException e) { // what Gson makes of those of constructors
      throw damaged(file, ErrorText.of(e.getCause() == null ? e : e.getCause()), e);
    }
  }

  private static BackupException damaged(Path file, String reason, Exception cause) {
    return new BackupException(
        file + " is damaged (" + reason + "): restore the file, or take another backup", cause);
  }
}
