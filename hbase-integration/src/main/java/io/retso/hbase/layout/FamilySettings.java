package io.retso.hbase.layout;

import io.retso.text.Text;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.KeepDeletedCells;
import org.apache.hadoop.hbase.MemoryCompactionPolicy;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * What HBase must do with the families of a prepared table: keep all versions for ever, and log all
 * writes. Operators can alter it; then the table is refused with the remedy. Stateless.
 */
public final class FamilySettings {
  private FamilySettings() {}

  /** The family as transactions need it: all versions, for ever. Other properties remain. */
  public static ColumnFamilyDescriptor prepared(ColumnFamilyDescriptor family) {
    return withoutDrops(ColumnFamilyDescriptorBuilder.newBuilder(family), family)
        .setMaxVersions(Integer.MAX_VALUE)
        .setMinVersions(0)
        .setTimeToLive(HConstants.FOREVER)
        .setKeepDeletedCells(KeepDeletedCells.FALSE)
        .setNewVersionBehavior(false)
        .build();
  }

  /**
   * HBase drops no cells in the family's memory, whatever is set for its servers: a family that
   * does not say how its memory is compacted would go by that.
   */
  static ColumnFamilyDescriptorBuilder withoutDrops(
      ColumnFamilyDescriptorBuilder builder, ColumnFamilyDescriptor family) {
    return family.getInMemoryCompaction() == null || dropsInMemory(family)
        ? builder.setInMemoryCompaction(MemoryCompactionPolicy.NONE)
        : builder;
  }

  /** The other policies only merge. */
  private static boolean dropsInMemory(ColumnFamilyDescriptor family) {
    MemoryCompactionPolicy policy = family.getInMemoryCompaction();
    return policy == MemoryCompactionPolicy.EAGER || policy == MemoryCompactionPolicy.ADAPTIVE;
  }

  /**
   * What in the families of a table would make snapshots wrong, or keep deleted data for ever.
   *
   * @return one sentence each, with the remedy; empty if all is well
   */
  public static List<String> violations(TableDescriptor table) {
    List<String> found = new ArrayList<>();
    String origin = TableSettings.originOf(table);
    if (origin != null) {
      found.add(TableSettings.copyOf(origin));
    }
    ColumnFamilyDescriptor marks = table.getColumnFamily(PendingWrite.family());
    if (marks == null) {
      found.add("family !pw is missing: prepare the table");
    } else {
      if (!marks.isInMemory()) {
        found.add("family !pw is not in memory: set IN_MEMORY to true");
      }
      if (!marks.isNewVersionBehavior()) {
        found.add(
            "family !pw would hide marks that are put after a delete of their version: set"
                + " NEW_VERSION_BEHAVIOR to true");
      }
      // For a column that such a filter excludes HBase makes up a cell, and then, with
      // NEW_VERSION_BEHAVIOR, seeks to it without end. Files keep the filter until they are
      // compacted, so it is not just put right.
      byte[] bloomFilter = marks.getValue(Bytes.toBytes(ColumnFamilyDescriptorBuilder.BLOOMFILTER));
      if ("ROWCOL".equalsIgnoreCase(Bytes.toString(bloomFilter))) {
        found.add(
            "family !pw has a Bloom filter with which HBase's reads of several marks never end:"
                + " set BLOOMFILTER to ROW, and major_compact the table");
      }
      checkLifetime(marks, found);
      checkMemory(marks, found);
    }
    for (ColumnFamilyDescriptor family : table.getColumnFamilies()) {
      if (!PendingWrite.isFamily(family.getName())) {
        checkData(family, marks, found);
      }
    }
    Durability durability = table.getDurability();
    if (durability == Durability.SKIP_WAL || durability == Durability.ASYNC_WAL) {
      found.add(
          Text.of(
              "durability %s can lose writes of committed transactions: set DURABILITY to"
                  + " USE_DEFAULT or FSYNC_WAL",
              durability));
    }
    return found;
  }

  private static void checkData(
      ColumnFamilyDescriptor family, ColumnFamilyDescriptor marks, List<String> found) {
    String name = family.getNameAsString();
    if (Bytes.compareTo(family.getName(), PendingWrite.family()) < 0) {
      found.add("family " + name + " sorts before !pw: give it another name");
    }
    if (family.getMaxVersions() != Integer.MAX_VALUE) {
      found.add(
          Text.of(
              "family %s keeps %s versions, snapshots need all: set VERSIONS to %s",
              name, family.getMaxVersions(), Integer.MAX_VALUE));
    }
    checkLifetime(family, found);
    checkMemory(family, found);
    // What a compaction sees of a larger value is where it is.
    if (family.isMobEnabled() && family.getMobThreshold() < Tombstone.value().length) {
      found.add(
          Text.of(
              "family %s has tombstones in MOB files, where they are never purged: set"
                  + " MOB_THRESHOLD to %s bytes at least",
              name, Tombstone.value().length));
    }
    if (marks != null && family.getScope() != marks.getScope()) {
      found.add(
          Text.of(
              "family %s has replication scope %s, !pw has %s: a replica would take pending cells"
                  + " for committed; set the same REPLICATION_SCOPE",
              name, family.getScope(), marks.getScope()));
    }
  }

  private static void checkMemory(ColumnFamilyDescriptor family, List<String> found) {
    if (dropsInMemory(family)) {
      found.add(
          Text.of(
              "family %s has IN_MEMORY_COMPACTION %s, with which HBase drops cells in memory that"
                  + " transactions may be reading: set IN_MEMORY_COMPACTION to NONE or BASIC",
              family.getNameAsString(), family.getInMemoryCompaction()));
    }
  }

  private static void checkLifetime(ColumnFamilyDescriptor family, List<String> found) {
    String name = "family " + family.getNameAsString();
    if (family.getTimeToLive() != HConstants.FOREVER) {
      found.add(
          name + " has a time to live, by a clock that is not the oracle's: set TTL to FOREVER");
    }
    if (family.getMinVersions() != 0) {
      found.add(name + " has MIN_VERSIONS, which needs a TTL: set MIN_VERSIONS to 0");
    }
    if (family.getKeepDeletedCells() != KeepDeletedCells.FALSE) {
      found.add(name + " keeps cells that cleanup deleted: set KEEP_DELETED_CELLS to FALSE");
    }
    if (family.isNewVersionBehavior() && !PendingWrite.isFamily(family.getName())) {
      found.add(
          name
              + " orders deletes by arrival, cleanup needs the order of versions: set"
              + " NEW_VERSION_BEHAVIOR to false");
    }
  }
}
