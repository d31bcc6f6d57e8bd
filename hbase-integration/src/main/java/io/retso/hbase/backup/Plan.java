package io.retso.hbase.backup;

import io.retso.hbase.SnapshotToken;
import java.io.IOException;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.regex.Pattern;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.exceptions.DeserializationException;

/**
 * What a backup consists of, as it stands in its files of JSON; bytes in Base64. Names of files are
 * not in it, but made of numbers, so that none can lead elsewhere. Immutable.
 *
 * @param format {@link #FORMAT}
 * @param id random
 * @param oracle its id
 * @param timestamp of the snapshot
 * @param isHeld whether the backup has had the snapshot held itself
 * @param since the backup that this one adds to; null for a full one
 * @param begun ISO 8601
 * @param tables in the order of their numbers
 */
record Plan(
    int format,
    String id,
    String oracle,
    long timestamp,
    boolean isHeld,
    Since since,
    String begun,
    List<Table> tables) {
  static final int FORMAT = 1;

  private static final Pattern ID = Pattern.compile("[0-9a-f]{32}");

  /** A directory beside that of the backup: no way to another place. */
  private static final Pattern NAME = Pattern.compile("[^/\\\\:\\p{Cntrl}]{1,255}");

  Plan {
    require(format == FORMAT, "its format is " + format + ", not " + FORMAT);
    require(id != null && ID.matcher(id).matches(), "its id is " + id);
    Objects.requireNonNull(begun);
    tables = List.copyOf(tables);
    new SnapshotToken(UUID.fromString(oracle), timestamp);
  }

  /**
   * The backup that another one adds to.
   *
   * @param directory the last part of its path
   */
  record Since(String id, String directory, long timestamp) {
    Since {
      require(id != null && ID.matcher(id).matches(), "the id of its base is " + id);
      require(isDirectoryName(directory), "the directory of its base is " + directory);
    }
  }

  static boolean isDirectoryName(String name) {
    return name != null && NAME.matcher(name).matches() && !name.equals(".") && !name.equals("..");
  }

  /**
   * A table.
   *
   * @param name with its namespace
   * @param identity when the backup began
   * @param descriptor HBase's protobuf message
   * @param families for people
   * @param ranges of keys, the regions when the backup began, in the order of their numbers
   */
  record Table(
      String name,
      TableIdentity identity,
      String descriptor,
      List<String> families,
      List<Range> ranges) {
    Table {
      TableName.valueOf(name);
      Objects.requireNonNull(identity);
      Objects.requireNonNull(descriptor);
      families = List.copyOf(families);
      ranges = List.copyOf(ranges);
    }

    TableName tableName() {
      return TableName.valueOf(name);
    }

    TableDescriptor tableDescriptor() throws IOException {
      try {
        return TableDescriptorBuilder.parseFrom(bytes(descriptor));
      } catch (DeserializationException e) {
        throw new BackupException(
            "the descriptor of table " + name + " in the manifest is damaged: take another backup",
            e);
      }
    }
  }

  /** A range of keys; an empty one is no bound. */
  record Range(String start, String stop) {
    Range {
      bytes(start);
      bytes(stop);
    }

    byte[] startRow() {
      return bytes(start);
    }

    byte[] stopRow() {
      return bytes(stop);
    }
  }

  /**
   * A range that is done.
   *
   * @param plan id of the backup
   * @param table its number
   * @param range its number
   * @param files in the order of their numbers
   */
  record Part(String plan, int table, int range, List<File> files) {
    Part {
      files = List.copyOf(files);
    }
  }

  /** The cells of a range and family. */
  record File(String family, long cells, long bytes, String sha256) {
    File {
      Plan.bytes(family);
      Objects.requireNonNull(sha256);
    }

    byte[] familyName() {
      return Plan.bytes(family);
    }
  }

  /** All of a backup that is complete. */
  record Manifest(Plan plan, List<Part> parts) {
    Manifest {
      Objects.requireNonNull(plan);
      parts = List.copyOf(parts);
      for (Part part : parts) {
        require(
            part.plan().equals(plan.id)
                && part.table() >= 0
                && part.table() < plan.tables.size()
                && part.range() >= 0
                && part.range() < plan.tables.get(part.table()).ranges().size(),
            "it has a part of another backup");
      }
      int ranges = plan.tables.stream().mapToInt(table -> table.ranges().size()).sum();
      long distinct = parts.stream().map(p -> p.table() + "-" + p.range()).distinct().count();
      require(parts.size() == ranges && distinct == ranges, "parts are missing");
    }
  }

  private static void require(boolean isRight, String otherwise) {
    if (!isRight) {
      throw new IllegalArgumentException(otherwise);
    }
  }

  SnapshotToken token() {
    return new SnapshotToken(UUID.fromString(oracle), timestamp);
  }

  static String text(byte[] bytes) {
    return Base64.getEncoder().encodeToString(bytes);
  }

  static byte[] bytes(String text) {
    return Base64.getDecoder().decode(text);
  }
}
