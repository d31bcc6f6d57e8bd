package io.retso.hbase.admin;

import io.retso.hbase.layout.OracleSettings;
import io.retso.hbase.layout.TableSettings;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.yetus.audience.InterfaceAudience;

/**
 * Describes a {@link TablePreparation}. Not thread-safe.
 *
 * @since 0.1
 */
@InterfaceAudience.Public
public final class TablePreparationBuilder {
  /** Key of the oracle's addresses in HBase's configuration: {@code host:port[,host:port]}. */
  public static final String ORACLE_KEY = OracleSettings.ORACLE;

  private final Connection connection;
  private final Set<String> addresses = new LinkedHashSet<>();
  private Durability durability;

  TablePreparationBuilder(Connection connection) {
    this.connection = Objects.requireNonNull(connection, "connection is null: pass an open one");
  }

  /**
   * Addresses of the oracle, {@code host:port}, several separated by commas, as region servers and
   * clients reach them. Default: the key {@value #ORACLE_KEY} of the connection's configuration.
   */
  public TablePreparationBuilder oracle(String commaSeparated) {
    Objects.requireNonNull(
        commaSeparated, "the oracle's address is null: pass host:port, or leave the call out");
    addresses.addAll(TableSettings.addresses(commaSeparated));
    return this;
  }

  /**
   * The durability that tables get. Default: theirs stays as it is, {@code USE_DEFAULT} in a table
   * for which no other was chosen.
   *
   * @param ofTables {@code FSYNC_WAL} forces HBase's log to disk before a write is acknowledged, as
   *     the oracle does with commits. {@code SKIP_WAL} and {@code ASYNC_WAL} are refused when a
   *     table is prepared
   */
  public TablePreparationBuilder durability(Durability ofTables) {
    this.durability =
        Objects.requireNonNull(
            ofTables, "durability is null: leave it out to keep that of the tables");
    return this;
  }

  /**
   * Asks no oracle yet: one that does not answer is found when a table is prepared.
   *
   * @throws IllegalArgumentException if there is no address, or it is malformed
   */
  public TablePreparation build() {
    if (addresses.isEmpty()) {
      oracle(connection.getConfiguration().get(ORACLE_KEY, ""));
    }
    if (addresses.isEmpty()) {
      throw new IllegalArgumentException(
          "no oracle: call oracle(\"host:port\"), or set " + ORACLE_KEY + " in the configuration");
    }
    List<String> checked = TableSettings.checkedAddresses(String.join(",", addresses));
    return new TablePreparation(connection, checked, durability);
  }
}
