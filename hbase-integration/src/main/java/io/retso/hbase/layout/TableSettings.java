package io.retso.hbase.layout;

import io.retso.client.OracleClient;
import io.retso.client.RowId;
import io.retso.hbase.options.Conflicts;
import io.retso.hbase.options.Reads;
import io.retso.protocol.OracleIdentity;
import io.retso.text.ErrorText;
import io.retso.text.Text;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;

/**
 * What the descriptor of a prepared table says, so that all its clients and region servers agree.
 *
 * @param conflicts what two transactions must not both write
 * @param reads where snapshots are decided
 * @param oracle which oracle decides its transactions: timestamps and marks in the table are that
 *     one's, and what another says of the same numbers is about other transactions
 * @param addresses where it was when the table was prepared, {@code host:port[,host:port]}: where
 *     coprocessors look for it first. It may have moved since
 * @param granules bytes of keys by which all its writers name granules, in ascending order, 0 (the
 *     whole table) among them; empty if only serializable ones do, by {@link #GRANULES_DEFAULT}
 * @param cleanup what is told how transactions ended: rows or regions
 * @param preparation a number of its own of each table that was created, copied, or given to
 *     another oracle; docs/decisions/0028
 */
public record TableSettings(
    Conflicts conflicts,
    Reads reads,
    OracleIdentity oracle,
    String addresses,
    List<Integer> granules,
    Cleanup cleanup,
    long preparation) {
  /** How what transactions have written gets the version that says that it is committed. */
  public enum Cleanup {
    /** Each row is cleaned up by itself. */
    ROWS,

    /**
     * Regions are told how transactions ended, and flushes move what these wrote;
     * docs/decisions/0025. For server reads of tables that are not replicated.
     */
    REGIONS
  }

  /** What cells of a table, and the settings in its descriptor, mean; docs/data-format.md. */
  public static final int VERSION = 1;

  /** Sizes of granules of a table that names none. */
  public static final List<Integer> GRANULES_DEFAULT =
      IntStream.rangeClosed(0, 32).boxed().toList();

  /** Sizes that one table may have: each written row has one of each up to its key's length. */
  private static final int GRANULES_MAX = 40;

  private static final int GRANULE_BYTES_MAX = 256;
  private static final int HEX = 16;
  private static final String VERSION_KEY = "RETSO_VERSION";
  private static final String CLEANUP_KEY = "RETSO_CLEANUP";
  private static final String CONFLICTS_KEY = "RETSO_CONFLICTS";
  private static final String READS_KEY = "RETSO_READS";
  private static final String ORACLE_KEY = "RETSO_ORACLE";
  private static final String ORACLE_ID_KEY = "RETSO_ORACLE_ID";
  private static final String ADDRESSES_KEY = "RETSO_ORACLE_ADDRESSES";
  private static final String NAME_KEY = "RETSO_TABLE";
  private static final String GRANULES_KEY = "RETSO_GRANULES";
  private static final String PREPARATION_KEY = "RETSO_PREPARATION";

  /**
   * Checks that the oracle has addresses.
   *
   * @throws IllegalArgumentException if not
   */
  public TableSettings {
    if (addresses(addresses).isEmpty()) {
      throw new IllegalArgumentException(
          ADDRESSES_KEY + " is empty: write addresses of the oracle, host:port");
    }
    granules = List.copyOf(granules);
  }

  /**
   * Settings of a table that was not prepared before, whose granules were not chosen, and whose
   * rows are cleaned up one by one.
   */
  public TableSettings(Conflicts conflicts, Reads reads, OracleIdentity oracle, String addresses) {
    this(conflicts, reads, oracle, addresses, List.of(), Cleanup.ROWS, newPreparation());
  }

  /** The settings of the same table, cleaned up in another way. */
  public TableSettings with(Cleanup other) {
    return new TableSettings(conflicts, reads, oracle, addresses, granules, other, preparation);
  }

  /** A number that no other table has. */
  public static long newPreparation() {
    return UUID.randomUUID().getMostSignificantBits();
  }

  /**
   * What tells whether two go by the same settings of the same table: all on which those who use it
   * must agree. Requests carry it, and regions refuse those of another one. Never 0.
   */
  public long fingerprint() {
    long hash = // a hash of texts; whose, does not matter
        RowId.of(
            bytes(Long.toHexString(preparation)),
            bytes(conflicts.name()),
            bytes(reads.name()),
            bytes(text(granules)));
    return hash == 0 ? 1 : hash;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static String text(List<Integer> granules) {
    return granules.stream().map(String::valueOf).collect(Collectors.joining(","));
  }

  /** Whether its regions are told how transactions ended, and not each row. */
  public boolean isAdoptedByRegions() {
    return cleanup == Cleanup.REGIONS && reads == Reads.SERVER;
  }

  /** Whether the table was prepared for transactions, in this version or another. */
  public static boolean isPrepared(TableDescriptor table) {
    return table.getValue(VERSION_KEY) != null;
  }

  /**
   * Reads the settings of a table.
   *
   * @throws IllegalArgumentException if it is not prepared, or by another version, or its settings
   *     are damaged; says which and what to do
   */
  public static TableSettings of(TableDescriptor table) {
    if (!isPrepared(table)) {
      throw new IllegalArgumentException(
          "table " + table.getTableName() + " is not prepared for transactions: prepare it first");
    }
    checkCells(table);
    return new TableSettings(
        conflictsOf(table),
        readsOf(table),
        oracleOf(table),
        text(table, ADDRESSES_KEY),
        granulesOf(table),
        parse(table, CLEANUP_KEY, Cleanup.class),
        preparationOf(table));
  }

  /**
   * The number of the preparation of a prepared table.
   *
   * @throws IllegalArgumentException if it has none, or that is damaged
   */
  private static long preparationOf(TableDescriptor table) {
    try {
      return Long.parseUnsignedLong(text(table, PREPARATION_KEY), HEX);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          Text.of(
              "table %s has no %s, or a damaged one, and those who remember other settings of it"
                  + " would not be told apart: prepare it again",
              table.getTableName(), PREPARATION_KEY),
          e);
    }
  }

  /**
   * The number that a table is to have when it is prepared: its own, if it has one. A copy gets
   * another one, and so does a table that goes to another oracle.
   */
  public static long preparationFor(TableDescriptor table, OracleIdentity oracle) {
    boolean isSame = isPrepared(table) && originOf(table) == null;
    try {
      return isSame && oracleOf(table).isSameAs(oracle) ? preparationOf(table) : newPreparation();
    } catch (IllegalArgumentException e) {
      return newPreparation();
    }
  }

  /** The conflict rule of a prepared table. */
  public static Conflicts conflictsOf(TableDescriptor table) {
    return parse(table, CONFLICTS_KEY, Conflicts.class);
  }

  /** Where snapshots of a prepared table are decided. */
  public static Reads readsOf(TableDescriptor table) {
    return parse(table, READS_KEY, Reads.class);
  }

  /** The granules of a prepared table; empty if it names none. */
  public static List<Integer> granulesOf(TableDescriptor table) {
    try {
      return granules(text(table, GRANULES_KEY));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          GRANULES_KEY
              + " of table "
              + table.getTableName()
              + " is damaged ("
              + ErrorText.of(e)
              + "): prepare it again",
          e);
    }
  }

  /**
   * Sizes of granules, as bytes of keys separated by commas, {@code 0-32} for all from one to
   * another; none if it is blank.
   *
   * @return in ascending order, with 0, the whole table
   * @throws IllegalArgumentException if it is something else
   */
  public static List<Integer> granules(String commaSeparated) {
    if (commaSeparated.isBlank()) {
      return List.of();
    }
    SortedSet<Integer> sizes = new TreeSet<>(Set.of(0));
    for (String size : commaSeparated.split(",", -1)) {
      try {
        String[] ends = size.trim().split("-", 2);
        int first = Integer.parseInt(ends[0]);
        int last = Integer.parseInt(ends[ends.length - 1]);
        if (first > last) {
          throw new NumberFormatException(size);
        }
        sizes.add(last); // also if it is too large
        IntStream.range(first, Math.min(last, GRANULE_BYTES_MAX)).forEach(sizes::add);
      } catch (NumberFormatException e) {
        throw new IllegalArgumentException(size + " is no number of bytes", e);
      }
    }
    if (sizes.size() > GRANULES_MAX || sizes.first() < 0 || sizes.last() > GRANULE_BYTES_MAX) {
      throw new IllegalArgumentException(
          Text.of(
              "granules %s are not %s sizes at most, each of 0 to %s bytes",
              sizes, GRANULES_MAX, GRANULE_BYTES_MAX));
    }
    return List.copyOf(sizes);
  }

  /**
   * The oracle of a prepared table.
   *
   * @throws IllegalArgumentException if that is damaged
   */
  public static OracleIdentity oracleOf(TableDescriptor table) {
    try {
      return new OracleIdentity(
          UUID.fromString(text(table, ORACLE_ID_KEY)), text(table, ORACLE_KEY));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          Text.of(
              "table %s does not say which oracle is its: %s and %s are damaged (%s): prepare it"
                  + " again",
              table.getTableName(), ORACLE_KEY, ORACLE_ID_KEY, ErrorText.of(e)),
          e);
    }
  }

  private static String text(TableDescriptor table, String key) {
    return Objects.requireNonNullElse(table.getValue(key), "");
  }

  /** Whether the table is one of {@link Cleanup#REGIONS}, whatever else its settings say. */
  public static boolean isCleanedUpByRegions(TableDescriptor table) {
    return Cleanup.REGIONS.name().equals(table.getValue(CLEANUP_KEY));
  }

  /**
   * Checks that the cells of a prepared table are what this version makes of them.
   *
   * @throws IllegalArgumentException if they may mean something else
   */
  public static void checkCells(TableDescriptor table) {
    String version = table.getValue(VERSION_KEY);
    if (!String.valueOf(VERSION).equals(version)) {
      throw new IllegalArgumentException(
          Text.of(
              "table %s was prepared by another version of ReTSO: its %s is %s, this one knows %s:"
                  + " use the version that prepared it",
              table.getTableName(), VERSION_KEY, version, VERSION));
    }
  }

  /** The single addresses of {@code host:port[,host:port]}, not checked; none if it is blank. */
  public static List<String> addresses(String commaSeparated) {
    return Arrays.stream(commaSeparated.split(","))
        .map(String::trim)
        .filter(address -> !address.isEmpty())
        .toList();
  }

  /**
   * The single addresses, checked.
   *
   * @throws IllegalArgumentException if there is none, or one is malformed
   */
  public static List<String> checkedAddresses(String commaSeparated) {
    List<String> addresses = addresses(commaSeparated);
    if (addresses.isEmpty()) {
      throw new IllegalArgumentException("the oracle has no address: write host:port");
    }
    addresses.forEach(OracleClient.builder()::address);
    return addresses;
  }

  private static <E extends Enum<E>> E parse(TableDescriptor table, String key, Class<E> type) {
    String value = table.getValue(key);
    for (E constant : type.getEnumConstants()) {
      if (constant.name().equals(value)) {
        return constant;
      }
    }
    throw new IllegalArgumentException(
        String.format(
            Locale.ROOT,
            "%s of table %s is %s, must be one of %s: set it again with alter in HBase's shell",
            key,
            table.getTableName(),
            value,
            Arrays.toString(type.getEnumConstants())));
  }

  public void writeTo(TableDescriptorBuilder table) {
    table.setValue(VERSION_KEY, String.valueOf(VERSION));
    table.setValue(CLEANUP_KEY, cleanup.name());
    table.setValue(CONFLICTS_KEY, conflicts.name());
    table.setValue(READS_KEY, reads.name());
    table.setValue(ORACLE_KEY, oracle.name());
    table.setValue(ORACLE_ID_KEY, oracle.id().toString());
    table.setValue(ADDRESSES_KEY, addresses);
    table.setValue(PREPARATION_KEY, Long.toHexString(preparation));
    table.setValue(NAME_KEY, table.build().getTableName().getNameAsString());
    if (granules.isEmpty()) {
      table.removeValue(GRANULES_KEY);
    } else {
      table.setValue(GRANULES_KEY, text(granules));
    }
  }

  /**
   * The prepared table of which this one is a copy, as HBase makes them from snapshots; null if it
   * is none. Its marks are those of the moment when the snapshot was taken, and they were not
   * looked for before a sweep let the oracle forget whose they are.
   */
  public static String originOf(TableDescriptor table) {
    String name = table.getValue(NAME_KEY);
    return table.getTableName().getNameAsString().equals(name) ? null : name;
  }

  static String copyOf(String origin) {
    return Text.of(
        "it is a copy of table %s, which was prepared, and was not itself: prepare it", origin);
  }

  /**
   * Checks that a prepared table is no copy of another one.
   *
   * @throws IllegalArgumentException if it is
   */
  public static void checkIsNoCopy(TableDescriptor table) {
    String origin = originOf(table);
    if (origin != null) {
      throw new IllegalArgumentException(
          "table " + table.getTableName() + " cannot be used: " + copyOf(origin));
    }
  }

  /** Whether transactions use two tables in the same way, whatever else differs. */
  public static boolean isUsedAlike(TableDescriptor one, TableDescriptor other) {
    // As they are written: what cannot be understood is like nothing else.
    return Stream.of(CONFLICTS_KEY, READS_KEY, GRANULES_KEY)
        .allMatch(key -> Objects.equals(one.getValue(key), other.getValue(key)));
  }

  /** Copies settings, whatever they are. */
  static void copy(TableDescriptor from, TableDescriptorBuilder to) {
    for (String key :
        List.of(
            VERSION_KEY,
            CLEANUP_KEY,
            CONFLICTS_KEY,
            READS_KEY,
            ORACLE_KEY,
            ORACLE_ID_KEY,
            ADDRESSES_KEY,
            NAME_KEY,
            PREPARATION_KEY,
            GRANULES_KEY)) {
      String value = from.getValue(key);
      if (value != null) {
        to.setValue(key, value);
      }
    }
  }
}
