package io.retso.hbase.admin;

import io.retso.client.OracleClientBuilder;
import io.retso.hbase.errors.OracleUnavailableException;
import io.retso.hbase.errors.TableNotPreparedException;
import io.retso.hbase.layout.OracleSettings;
import io.retso.hbase.layout.PendingWrite;
import io.retso.hbase.layout.TableSettings;
import io.retso.hbase.options.Conflicts;
import io.retso.hbase.options.Reads;
import io.retso.hbase.table.RegionAnswers;
import io.retso.hbase.table.TableRisks;
import io.retso.hbase.table.TableRules;
import io.retso.protocol.OracleIdentity;
import io.retso.text.ErrorText;
import io.retso.text.Text;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.CoprocessorDescriptor;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.yetus.audience.InterfaceAudience;

/**
 * Prepares tables for transactions, once: adds the family of the marks, keeps all versions, loads
 * the coprocessor, and writes down how transactions use the table. Everything is checked before
 * anything is changed. Preparing a prepared table again mends what was altered since; it sets the
 * options and the oracle that are given then ({@link Options#of} has those of the table).
 *
 * <p>The conflict rule, the place of reads and the granules of a prepared table can be changed only
 * while it is disabled: all that use a table must agree on them, and learn of a change one by one.
 * The user that enables it afterwards waits until all transactions have ended that used the table
 * before: at the latest after the oracle's {@code transaction.timeout}, or when all applications
 * that use it were restarted. (With client reads a minute more, as transaction managers remember
 * settings for 30 s.) Do not give a table to another oracle while transactions use it; other
 * addresses of the same one will do.
 *
 * <p>Blocking; may be used by several threads, though not for one table at a time.
 *
 * @since 0.1
 */
@InterfaceAudience.Public
public final class TablePreparation {
  /** HBase names it in what its master says about a descriptor that it does not like. */
  private static final String SANITY_CHECKS = "hbase.table.sanity.checks";

  private final Connection connection;

  /** The oracle's, {@code host:port} each. */
  private final List<String> addresses;

  /** What tables get; null leaves theirs as it is. */
  private final Durability durability;

  TablePreparation(Connection connection, List<String> addresses, Durability durability) {
    this.connection = connection;
    this.addresses = addresses;
    this.durability = durability;
  }

  /**
   * Begins to describe the preparation of tables of a cluster.
   *
   * @param connection to HBase; stays open. Its configuration says how long an oracle is waited
   *     for: {@value OracleSettings#TIMEOUT}, 5000 ms
   */
  public static TablePreparationBuilder builder(Connection connection) {
    return new TablePreparationBuilder(connection);
  }

  /**
   * How transactions use a table. Immutable: each {@code with} makes another one.
   *
   * <pre>{@code
   * Options byCell = Options.DEFAULT.withConflicts(Conflicts.CELL);
   * }</pre>
   */
  public static final class Options {
    /** Conflicts by row, server reads, the coprocessor on the class path of the region servers. */
    public static final Options DEFAULT = new Options(Conflicts.ROW, Reads.SERVER, "", "");

    /** Conflicts by row, client reads: no coprocessor, and nothing is ever purged. */
    public static final Options CLIENT_READS = DEFAULT.withReads(Reads.CLIENT);

    private final Conflicts conflicts;
    private final Reads reads;
    private final String jar;
    private final String granules;

    private Options(Conflicts conflicts, Reads reads, String jar, String granules) {
      this.conflicts = conflicts;
      this.reads = reads;
      this.jar = jar;
      this.granules = granules;
    }

    /**
     * Those of a prepared table.
     *
     * @throws IllegalArgumentException if it is not prepared, or its settings are damaged; says
     *     which and what to do
     */
    public static Options of(TableDescriptor table) {
      String jar =
          TableRules.observerOf(table).flatMap(CoprocessorDescriptor::getJarPath).orElse("");
      return new Options(
          TableSettings.conflictsOf(table),
          TableSettings.readsOf(table),
          jar,
          TableSettings.granulesOf(table).stream()
              .map(String::valueOf)
              .collect(Collectors.joining(",")));
    }

    /** Whether two writers of a row conflict, or only two writers of a cell. */
    public Options withConflicts(Conflicts rule) {
      Objects.requireNonNull(rule, "the rule of conflicts is null: leave it out for ROW");
      return new Options(rule, reads, jar, granules);
    }

    /** Whether snapshots are decided by the region server or by clients. */
    public Options withReads(Reads place) {
      Objects.requireNonNull(place, "the place of reads is null: leave it out for SERVER");
      return new Options(conflicts, place, jar, granules);
    }

    /**
     * Where the coprocessor comes from, with server reads.
     *
     * @param path of the jar, in a file system of HBase; empty if it is on the class path of the
     *     region servers
     */
    public Options withJar(String path) {
      Objects.requireNonNull(path, "the jar is null: use the empty text for none");
      return new Options(conflicts, reads, path, granules);
    }

    /**
     * By which granules all writers say what they write, so that scans of serializable transactions
     * notice them.
     *
     * @param sizes bytes of keys, separated by commas: {@code 0-32}. Empty: only serializable
     *     writers do, by 0 (the whole table) to 32 bytes
     * @throws IllegalArgumentException if it is another text
     */
    public Options withGranules(String sizes) {
      TableSettings.granules(
          Objects.requireNonNull(sizes, "the granules are null: use the empty text for none"));
      return new Options(conflicts, reads, jar, sizes);
    }

    /** Whether two writers of a row conflict, or only two writers of a cell. */
    public Conflicts conflicts() {
      return conflicts;
    }

    /** Where the snapshots of readers are decided. */
    public Reads reads() {
      return reads;
    }

    /** Path of the jar with the coprocessor; empty if it is on the class path. */
    public String jar() {
      return jar;
    }

    /** The granules that all writers name; empty if only serializable ones do. */
    public String granules() {
      return granules;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Options them
          && conflicts == them.conflicts
          && reads == them.reads
          && jar.equals(them.jar)
          && granules.equals(them.granules);
    }

    @Override
    public int hashCode() {
      return Objects.hash(conflicts, reads, jar, granules);
    }

    @Override
    public String toString() {
      return "conflicts "
          + conflicts
          + ", reads "
          + reads
          + (jar.isEmpty() ? "" : ", jar " + jar)
          + (granules.isEmpty() ? "" : ", granules " + granules);
    }
  }

  /**
   * Prepares an existing table. It is enabled, so that what is in it can be looked at; one that was
   * prepared before for the same oracle may be disabled, and stays so: see above for when to enable
   * it if its conflict rule or the place of its reads is another one now. Whether its regions run
   * the coprocessor is not known then; {@link #check} finds out later.
   *
   * @return the descriptor that it has now
   * @throws TableNotPreparedException if it cannot be prepared; says why and what to do. Nothing
   *     was changed then, unless region servers turn out not to load coprocessors
   * @throws IOException if HBase fails
   */
  public TableDescriptor prepare(TableName name, Options options) throws IOException {
    try (Admin admin = connection.getAdmin()) {
      if (!admin.tableExists(name)) {
        throw PreparedDescriptor.refused(
            name,
            "does not exist: have it created, by TablePreparation.create or"
                + " retso hbase prepare --create --families ...");
      }
      TableDescriptor before = admin.getDescriptor(name);
      return admin.isTableDisabled(name)
          ? prepareDisabled(admin, before, options)
          : prepareEnabled(admin, before, options);
    } catch (DoNotRetryIOException e) {
      throw explained(name, options, e);
    }
  }

  private TableDescriptor prepareEnabled(Admin admin, TableDescriptor before, Options options)
      throws IOException {
    OracleIdentity of = identity();
    TableDescriptor after = prepared(before, options, of);
    if (TableSettings.isPrepared(before)) {
      SettingsChange.requireUsedAlike(before, after);
      SettingsChange.requireNoMarksOfAnother(connection, before, of);
      if (TableSettings.originOf(before) != null) {
        SettingsChange.requireNoCopiedMarks(connection, before);
      }
    }
    try (TimestampSource source = new TimestampSource(addresses, this::client)) {
      FutureCells.requireNone(connection, before.getTableName(), source);
    }
    requireRegionServers(admin, after);
    modify(admin, before, after);
    requireCoprocessor(after);
    return after;
  }

  private TableDescriptor prepareDisabled(Admin admin, TableDescriptor before, Options options)
      throws IOException {
    if (!TableSettings.isPrepared(before) || TableSettings.originOf(before) != null) {
      throw PreparedDescriptor.refused(before.getTableName(), "is disabled: enable it");
    }
    // What is in it cannot be read; but the oracle must answer at these addresses.
    OracleIdentity of = identity();
    TableDescriptor after = prepared(before, options, of);
    SettingsChange.requireSameOracle(before, of);
    requireRegionServers(admin, after);
    modify(admin, before, after);
    return after;
  }

  private OracleClientBuilder client() {
    Configuration configuration = connection.getConfiguration();
    return OracleSettings.client(configuration, "retso-prepare")
        .requestTimeout(OracleSettings.timeout(configuration));
  }

  private OracleIdentity identity() throws IOException {
    return OracleAddresses.identity(addresses, this::client);
  }

  /**
   * The next timestamp of the oracle: transactions to come see what has a lower version.
   *
   * @throws OracleUnavailableException if no oracle answers
   */
  public long oracleTimestamp() throws IOException {
    try (TimestampSource source = new TimestampSource(addresses, this::client)) {
      return source.next();
    }
  }

  private static void modify(Admin admin, TableDescriptor before, TableDescriptor after)
      throws IOException {
    if (!after.equals(before)) {
      admin.modifyTable(after); // waits until all regions have it
    }
  }

  /**
   * Creates a table, prepared.
   *
   * @param table its families, without {@code !pw}; versions and lifetimes are set here
   * @param splitKeys first rows of its regions but the first one; none for one region
   * @throws IOException if it cannot be prepared, or HBase fails
   */
  public TableDescriptor create(TableDescriptor table, Options options, byte[]... splitKeys)
      throws IOException {
    // The oracle's addresses are known to be right before anything exists.
    TableDescriptor prepared = prepared(table, options, identity());
    try (Admin admin = connection.getAdmin()) {
      requireRegionServers(admin, prepared);
      if (splitKeys.length == 0) {
        admin.createTable(prepared);
      } else {
        admin.createTable(prepared, splitKeys);
      }
    } catch (DoNotRetryIOException e) {
      throw explained(table.getTableName(), options, e);
    }
    requireCoprocessor(prepared);
    return prepared;
  }

  private void requireRegionServers(Admin admin, TableDescriptor table) throws IOException {
    if (TableSettings.isCleanedUpByRegions(table)) {
      regionServers(admin, table).require(table.getTableName());
    }
  }

  private RegionServersCheck regionServers(Admin admin, TableDescriptor table) {
    return new RegionServersCheck(connection, admin, TableRules.observerOf(table).orElseThrow());
  }

  private void requireCoprocessor(TableDescriptor table) throws IOException {
    Optional<String> without = withoutCoprocessor(table);
    if (without.isPresent()) {
      throw new TableNotPreparedException(without.get(), null);
    }
  }

  /** What is wrong if regions of a table with server reads do not run the coprocessor. */
  private Optional<String> withoutCoprocessor(TableDescriptor table) throws IOException {
    return table.hasCoprocessor(TableRules.OBSERVER)
        ? RegionAnswers.of(connection, table.getTableName()).withoutCoprocessor()
        : Optional.empty();
  }

  /**
   * HBase checks whether it can load the coprocessor. Its own advice, to leave that out, would have
   * region servers abort.
   */
  private static IOException explained(
      TableName name, Options options, DoNotRetryIOException failure) {
    String message = ErrorText.of(failure);
    boolean isAboutLoading = message.contains(TableRules.OBSERVER) || !options.jar().isEmpty();
    if (!isAboutLoading || !message.contains(SANITY_CHECKS)) {
      return failure;
    }
    return new TableNotPreparedException(
        Text.of(
            "table %s cannot be prepared, as HBase cannot load the coprocessor: put"
                + " hbase-integration's jar on the class path of all masters and region servers and"
                + " restart them, or name one that they can read (--jar), or let clients decide"
                + " (--reads client); leave %s on. HBase says: %s",
            name, SANITY_CHECKS, message.lines().findFirst().orElse("")),
        failure);
  }

  /**
   * What keeps transactions from using the table, one sentence each, with the remedy; empty if they
   * can.
   */
  public List<String> check(TableName name) throws IOException {
    try (Admin admin = connection.getAdmin()) {
      if (!admin.tableExists(name)) {
        return List.of("table " + name + " does not exist: create and prepare it");
      }
      List<String> found = new ArrayList<>();
      TableDescriptor table = admin.getDescriptor(name);
      try {
        TableSettings settings = TableSettings.of(table);
        found.addAll(TableRules.violations(table, settings));
        OracleIdentity here = identity();
        if (!settings.oracle().isSameAs(here)) {
          found.add(TableRules.otherOracle(name, settings.oracle(), here));
        }
      } catch (IllegalArgumentException | OracleUnavailableException e) {
        found.add(ErrorText.of(e));
      }
      if (admin.isTableDisabled(name)) {
        found.add("table " + name + " is disabled: enable it");
      } else {
        Optional<String> without = withoutCoprocessor(table);
        if (without.isPresent()) {
          found.add(without.get());
        } else if (TableSettings.isCleanedUpByRegions(table)) {
          found.addAll(regionServers(admin, table).find());
        }
      }
      return found;
    }
  }

  /**
   * What may surprise an operator of a prepared table, though transactions can use it: one sentence
   * each, with the remedy. While the table is disabled, what region servers would report is
   * missing.
   *
   * @throws IOException if HBase fails, or there is no such table
   */
  public List<String> warnings(TableName name) throws IOException {
    try (Admin admin = connection.getAdmin()) {
      TableDescriptor table = admin.getDescriptor(name);
      boolean canTell = table.hasCoprocessor(TableRules.OBSERVER) && !admin.isTableDisabled(name);
      List<String> found =
          new ArrayList<>(
              TableRisks.of(
                  table, canTell ? RegionAnswers.of(connection, name).settings() : Set.of()));
      if (couldAdopt(table)) {
        found.add(
            Text.of(
                "its RETSO_CLEANUP is ROWS: each row is cleaned up by itself, and writes cost more:"
                    + " prepare it again (./retso hbase prepare %s), while it is in use, too",
                name));
      }
      return found;
    }
  }

  /** Whether its regions could adopt outcomes, and do not. */
  private static boolean couldAdopt(TableDescriptor table) {
    ColumnFamilyDescriptor marks = table.getColumnFamily(PendingWrite.family());
    return TableSettings.isPrepared(table)
        && !TableSettings.isCleanedUpByRegions(table)
        && table.hasCoprocessor(TableRules.OBSERVER)
        && marks != null
        && marks.getScope() == HConstants.REPLICATION_SCOPE_LOCAL;
  }

  private TableDescriptor prepared(TableDescriptor table, Options options, OracleIdentity of)
      throws IOException {
    return new PreparedDescriptor(table, options, durability).of(of, addresses);
  }
}
