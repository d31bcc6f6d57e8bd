package io.retso.advise.model;

import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.apache.yetus.audience.InterfaceAudience;

/**
 * What a program does to one row, or to all rows whose keys begin in one way. Immutable.
 *
 * @param kind what it is
 * @param table its name
 * @param key names of parameters, or constants, which are quoted: {@code 'x'}; of {@link Kind#SCAN}
 *     what the keys begin with, nothing for the whole table
 * @param columns names; {@code *} is the row's existence, which inserts and deletes change and
 *     scans see. {@link Kind#LOCK} protects these in tables with conflicts by cell
 * @since 0.1
 */
@InterfaceAudience.Public
public record Operation(Kind kind, String table, List<String> key, Set<String> columns) {
  /** Kinds of operations. */
  public enum Kind {
    /** Reads a row: a get. */
    READ,
    /** Reads all rows with a prefix: a scan. */
    SCAN,
    /** Reads a row, which must be unchanged at the commit: {@code getValidated}. */
    VALIDATE,
    /** Conflicts with all that write or lock the row: {@code getForUpdate}, besides its reads. */
    LOCK,
    /** Writes columns of a row, inserts or deletes it. */
    WRITE;

    /** Its word in files. */
    public String word() {
      return name().toLowerCase(java.util.Locale.ROOT);
    }
  }

  /** The column that stands for the existence of a row. */
  public static final String EXISTENCE = "*";

  /** Copies the lists. */
  public Operation {
    Objects.requireNonNull(kind);
    Objects.requireNonNull(table);
    key = List.copyOf(key);
    columns = Set.copyOf(columns);
  }

  /** Whether it reads columns. */
  public boolean reads() {
    return kind == Kind.READ || kind == Kind.SCAN || kind == Kind.VALIDATE;
  }

  /** As it is written in files: {@code read account[n].id}. */
  @Override
  public String toString() {
    String row = table + (key.isEmpty() ? "" : "[" + String.join(", ", key) + "]");
    String sorted = String.join(", ", columns.stream().sorted().toList());
    return kind.word() + " " + row + (columns.isEmpty() ? "" : "." + sorted);
  }
}
