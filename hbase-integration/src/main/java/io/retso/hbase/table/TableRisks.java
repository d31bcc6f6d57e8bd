package io.retso.hbase.table;

import io.retso.hbase.layout.PendingWrite;
import io.retso.hbase.layout.RegionSettings;
import io.retso.text.Text;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.TableDescriptor;

/**
 * Settings with which transactions work, but not in every case as an operator would expect; {@code
 * docs/operating-hbase.md}, "Durability has two halves". Stateless.
 */
public final class TableRisks {
  private static final String STRIPES = "StripeStoreEngine";
  private static final String CONSTRAINTS =
      "org.apache.hadoop.hbase.constraint.ConstraintProcessor";

  private TableRisks() {}

  /**
   * What is risky, one sentence each, with the remedy.
   *
   * @param regions what regions of the table reported; empty if none was asked, or they do not know
   */
  public static List<String> of(TableDescriptor table, Collection<RegionSettings> regions) {
    List<String> found = new ArrayList<>();
    unforcedLog(table, regions, found);
    long ahead =
        regions.stream()
            .mapToLong(RegionSettings::versionsAheadMillis)
            .min()
            .orElse(Long.MAX_VALUE);
    if (ahead != Long.MAX_VALUE) {
      found.add(
          RegionSettings.VERSIONS_AHEAD
              + " is "
              + ahead
              + " on its region servers: they refuse all writes of transactions when the oracle's"
              + " timestamps are further ahead of the clock, as they are with more than 62 a second"
              + " and after a restart: unset it");
    }
    if (hasStripes(table, regions)) {
      found.add(
          "it has the stripe store engine, with which HBase's own reversed scans miss rows or fail,"
              + " and so do those of transactions: set "
              + RegionSettings.STORE_ENGINE
              + " to another one, or scan forward only");
    }
    if (table.hasCoprocessor(CONSTRAINTS)) {
      found.add(
          "it has HBase's constraints, which see a delete of a transaction as a put of a reserved"
              + " value of 16 bytes: let them pass it (io.retso.hbase.layout.Tombstone.is), or"
              + " nothing can be deleted");
    }
    ColumnFamilyDescriptor marks = table.getColumnFamily(PendingWrite.family());
    boolean isEncrypted =
        Arrays.stream(table.getColumnFamilies()).anyMatch(f -> f.getEncryptionType() != null);
    if (isEncrypted && marks != null && marks.getEncryptionType() == null) {
      found.add(
          "family !pw is not encrypted, and repeats the row keys of data that is: set its"
              + " ENCRYPTION, and major_compact the table");
    }
    return found;
  }

  /**
   * A table's own DURABILITY counts before the server's setting: with {@code SYNC_WAL} a write is
   * acknowledged when it is in the memory of data nodes, whatever the server says.
   */
  private static void unforcedLog(
      TableDescriptor table, Collection<RegionSettings> regions, List<String> found) {
    Durability durability = table.getDurability();
    boolean isDefault = durability == Durability.USE_DEFAULT;
    if (durability == Durability.FSYNC_WAL
        || isDefault
            && !regions.isEmpty()
            && regions.stream().allMatch(RegionSettings::forcesLog)) {
      return;
    }
    String reason =
        !isDefault
            ? "its DURABILITY is " + durability
            : regions.isEmpty()
                ? "its DURABILITY is that of its region servers, which is not known"
                : RegionSettings.FORCED_LOG + " is off on its region servers";
    found.add(
        Text.of(
            "HBase does not force its log to disk (%s), as the oracle does: after a power failure"
                + " of all machines, writes of committed transactions may be missing, of one"
                + " transaction a part: set its DURABILITY to FSYNC_WAL (./retso hbase prepare %s"
                + " --durability FSYNC_WAL), or %s of the servers to true and its DURABILITY to"
                + " USE_DEFAULT",
            reason, table.getTableName(), RegionSettings.FORCED_LOG));
  }

  private static boolean hasStripes(TableDescriptor table, Collection<RegionSettings> regions) {
    return isStripes(table.getValue(RegionSettings.STORE_ENGINE))
        || regions.stream().anyMatch(region -> isStripes(region.storeEngine()))
        || Arrays.stream(table.getColumnFamilies())
            .anyMatch(
                family -> isStripes(family.getConfigurationValue(RegionSettings.STORE_ENGINE)));
  }

  private static boolean isStripes(String engine) {
    return engine != null && engine.endsWith(STRIPES);
  }
}
