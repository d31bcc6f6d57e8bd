package io.retso.hbase.layout;

import io.retso.text.ErrorText;
import java.util.Objects;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;

/**
 * What of a region server, and of its own configuration, matters to the transactions of a table. No
 * other can know it; regions with the coprocessor report it, in the answer to a {@link
 * DescriptorQuery}.
 *
 * @param server its name
 * @param tableVersion the highest version of tables that it knows, as {@link TableSettings#VERSION}
 * @param splitsLogToFiles whether HBase makes files of a log that it replays, without asking
 *     coprocessors ({@code hbase.wal.split.to.hfile})
 * @param forcesLog whether the log of a table that does not say it is forced to disk before a write
 *     is acknowledged ({@code hbase.wal.hsync})
 * @param versionsAheadMillis how far versions of cells may be ahead of the server's clock, in
 *     milliseconds; {@link Long#MAX_VALUE} if it does not ask
 * @param storeEngine class that keeps the files of the table's families, if these do not name one
 */
public record RegionSettings(
    String server,
    int tableVersion,
    boolean splitsLogToFiles,
    boolean forcesLog,
    long versionsAheadMillis,
    String storeEngine) {
  /** Property of servers. */
  public static final String LOG_TO_FILES = "hbase.wal.split.to.hfile";

  /** Property of the store engine, of servers, tables and families. */
  public static final String STORE_ENGINE = "hbase.hstore.engine.class";

  /** Property of servers. */
  public static final String VERSIONS_AHEAD = "hbase.hregion.keyvalue.timestamp.slop.millisecs";

  /** Property of servers. */
  public static final String FORCED_LOG = "hbase.wal.hsync";

  private static final String PREFIX = "RETSO_SERVER:";
  private static final String NAME = PREFIX + "name";
  private static final String TABLE_VERSION = PREFIX + "table.version";

  /** The settings that HBase goes by, of a region of that server. */
  public static RegionSettings of(String server, Configuration region) {
    return new RegionSettings(
        server,
        TableSettings.VERSION,
        region.getBoolean(LOG_TO_FILES, false),
        region.getBoolean(FORCED_LOG, false),
        region.getLong(VERSIONS_AHEAD, Long.MAX_VALUE),
        region.get(STORE_ENGINE, ""));
  }

  /**
   * A time that a region goes by.
   *
   * @param region what its table says, and otherwise its server
   * @param usual if neither says it; in milliseconds, as the result
   * @throws IllegalArgumentException if it is no number
   */
  public static long millis(Configuration region, String key, long usual) {
    try {
      return region.getLong(key, usual);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          key
              + " of the table, or of the region server, is no number of milliseconds ("
              + ErrorText.of(e)
              + "): correct it",
          e);
    }
  }

  /** What a region reported; null if this is the table's own descriptor, which does not say it. */
  public static RegionSettings of(TableDescriptor reported) {
    String server = reported.getValue(NAME);
    return server == null
        ? null
        : new RegionSettings(
            server,
            Integer.parseInt(reported.getValue(TABLE_VERSION)),
            Boolean.parseBoolean(reported.getValue(PREFIX + LOG_TO_FILES)),
            Boolean.parseBoolean(reported.getValue(PREFIX + FORCED_LOG)),
            Long.parseLong(reported.getValue(PREFIX + VERSIONS_AHEAD)),
            Objects.requireNonNullElse(reported.getValue(PREFIX + STORE_ENGINE), ""));
  }

  /** Adds them to an answer. */
  void writeTo(TableDescriptorBuilder answer) {
    answer.setValue(NAME, server);
    answer.setValue(TABLE_VERSION, String.valueOf(tableVersion));
    answer.setValue(PREFIX + LOG_TO_FILES, String.valueOf(splitsLogToFiles));
    answer.setValue(PREFIX + FORCED_LOG, String.valueOf(forcesLog));
    answer.setValue(PREFIX + VERSIONS_AHEAD, String.valueOf(versionsAheadMillis));
    answer.setValue(PREFIX + STORE_ENGINE, storeEngine);
  }
}
