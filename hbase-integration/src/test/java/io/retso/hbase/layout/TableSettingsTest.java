package io.retso.hbase.layout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.layout.TableSettings.Cleanup;
import io.retso.hbase.options.Conflicts;
import io.retso.hbase.options.Reads;
import io.retso.protocol.OracleIdentity;
import java.util.List;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.KeepDeletedCells;
import org.apache.hadoop.hbase.MemoryCompactionPolicy;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;

class TableSettingsTest {
  private static final OracleIdentity ORACLE = new OracleIdentity(new UUID(1, 2), "main");

  private static final ColumnFamilyDescriptor DATA =
      FamilySettings.prepared(ColumnFamilyDescriptorBuilder.of("f"));

  private static TableDescriptorBuilder table(ColumnFamilyDescriptor... families) {
    return TableDescriptorBuilder.newBuilder(TableName.valueOf("t"))
        .setColumnFamilies(List.of(families));
  }

  @Test
  void whatIsWrittenIsRead() {
    for (TableSettings settings :
        List.of(
            new TableSettings(Conflicts.ROW, Reads.SERVER, ORACLE, "a:1,b:2"),
            new TableSettings(Conflicts.CELL, Reads.CLIENT, ORACLE, "a:1"),
            new TableSettings(Conflicts.ROW, Reads.SERVER, ORACLE, "a:1").with(Cleanup.REGIONS),
            new TableSettings(
                Conflicts.ROW, Reads.CLIENT, ORACLE, "a:1", List.of(0, 12), Cleanup.ROWS, -5))) {
      TableDescriptorBuilder builder = table(DATA);
      assertFalse(TableSettings.isPrepared(builder.build()));
      settings.writeTo(builder);
      assertTrue(TableSettings.isPrepared(builder.build()));
      assertEquals(settings, TableSettings.of(builder.build()));
    }
  }

  @Test
  void granulesAreSizesInOrderWithTheWholeTable() {
    assertEquals(List.of(), TableSettings.granules(" "));
    assertEquals(List.of(0, 4, 12), TableSettings.granules("12, 4,4"));
    assertEquals(List.of(0, 3, 4, 5, 12), TableSettings.granules("12, 3-5"));
    assertEquals(TableSettings.GRANULES_DEFAULT, TableSettings.granules("0-32"));
    for (String bad : List.of("4,", "x", "-1", "257", "1-", "1-2-3", "5-3", "1-40", "1-99999999")) {
      assertThrows(IllegalArgumentException.class, () -> TableSettings.granules(bad), () -> bad);
    }
    assertProblem("prepare it again", changed("RETSO_GRANULES", "none"));
  }

  @Test
  void whatCannotBeReadSaysWhatToDo() {
    assertProblem("prepare it first", table(DATA).build());
    assertProblem("RETSO_VERSION is 2, this one knows 1", changed("RETSO_VERSION", "2"));
    assertProblem("must be one of [ROWS, REGIONS]", changed("RETSO_CLEANUP", null));
    assertProblem("RETSO_CONFLICTS of table t is TABLE", changed("RETSO_CONFLICTS", "TABLE"));
    assertProblem("must be one of [SERVER, CLIENT]", changed("RETSO_READS", null));
    for (String key : List.of("RETSO_ORACLE", "RETSO_ORACLE_ID")) {
      assertProblem("damaged", changed(key, ""));
      assertProblem("prepare it again", changed(key, null));
    }
    assertProblem("RETSO_ORACLE_ADDRESSES is empty", changed("RETSO_ORACLE_ADDRESSES", ""));
    assertProblem("RETSO_ORACLE_ADDRESSES is empty", changed("RETSO_ORACLE_ADDRESSES", null));
  }

  private static TableDescriptor changed(String key, String value) {
    TableDescriptorBuilder builder = table(DATA);
    new TableSettings(Conflicts.ROW, Reads.SERVER, ORACLE, "a:1").writeTo(builder);
    return builder.setValue(key, value).build();
  }

  private static void assertProblem(String expected, TableDescriptor table) {
    String message =
        assertThrows(IllegalArgumentException.class, () -> TableSettings.of(table)).getMessage();
    assertTrue(message.contains(expected), message);
  }

  @Test
  void aPreparedTableHasNoViolations() {
    assertEquals(
        List.of(), FamilySettings.violations(table(DATA, PendingWrite.familyDescriptor()).build()));
  }

  /** What servers are set to must not count. */
  @Test
  void theMemoryOfFamiliesIsNotCompactedUnlessTheySayIt() {
    assertEquals(MemoryCompactionPolicy.NONE, DATA.getInMemoryCompaction());
    ColumnFamilyDescriptor basic =
        ColumnFamilyDescriptorBuilder.newBuilder(DATA)
            .setInMemoryCompaction(MemoryCompactionPolicy.BASIC)
            .build();
    assertEquals(
        MemoryCompactionPolicy.BASIC, FamilySettings.prepared(basic).getInMemoryCompaction());
    assertEquals(
        MemoryCompactionPolicy.NONE, PendingWrite.familyDescriptor().getInMemoryCompaction());
  }

  @Test
  void violationsNameTheRemedy() {
    assertViolation("!pw is missing", table(DATA).build());
    assertDataViolation("set VERSIONS to 2147483647", f -> f.setMaxVersions(3));
    assertDataViolation("set TTL to FOREVER", f -> f.setTimeToLive(60));
    assertDataViolation("set MIN_VERSIONS to 0", f -> f.setMinVersions(1));
    assertDataViolation(
        "set KEEP_DELETED_CELLS to FALSE", f -> f.setKeepDeletedCells(KeepDeletedCells.TTL));
    assertDataViolation("set NEW_VERSION_BEHAVIOR to false", f -> f.setNewVersionBehavior(true));
    assertDataViolation(
        "set the same REPLICATION_SCOPE", f -> f.setScope(HConstants.REPLICATION_SCOPE_GLOBAL));
    for (var policy : List.of(MemoryCompactionPolicy.EAGER, MemoryCompactionPolicy.ADAPTIVE)) {
      assertDataViolation(
          "set IN_MEMORY_COMPACTION to NONE or BASIC", f -> f.setInMemoryCompaction(policy));
      assertMarksViolation(
          "set IN_MEMORY_COMPACTION to NONE or BASIC", f -> f.setInMemoryCompaction(policy));
    }
    assertMarksViolation("set IN_MEMORY to true", f -> f.setInMemory(false));
    assertMarksViolation("set TTL to FOREVER", f -> f.setTimeToLive(60));
    ColumnFamilyDescriptor early =
        FamilySettings.prepared(ColumnFamilyDescriptorBuilder.of(Bytes.toBytes("!a")));
    assertViolation("!a sorts before !pw", table(early, PendingWrite.familyDescriptor()).build());
    assertViolation(
        "set DURABILITY to USE_DEFAULT or FSYNC_WAL",
        table(DATA, PendingWrite.familyDescriptor()).setDurability(Durability.ASYNC_WAL).build());
  }

  @Test
  void tombstonesMustNotBecomeMobs() {
    ColumnFamilyDescriptorBuilder family =
        ColumnFamilyDescriptorBuilder.newBuilder(DATA).setMobThreshold(15);
    assertEquals(List.of(), violations(family.build()));
    family.setMobEnabled(true);
    assertViolation(
        "set MOB_THRESHOLD to 16 bytes at least",
        table(family.build(), PendingWrite.familyDescriptor()).build());
    assertEquals(List.of(), violations(family.setMobThreshold(16).build()));
  }

  private static List<String> violations(ColumnFamilyDescriptor family) {
    return FamilySettings.violations(table(family, PendingWrite.familyDescriptor()).build());
  }

  private static void assertDataViolation(
      String expected, UnaryOperator<ColumnFamilyDescriptorBuilder> change) {
    ColumnFamilyDescriptor family =
        change.apply(ColumnFamilyDescriptorBuilder.newBuilder(DATA)).build();
    assertViolation(expected, table(family, PendingWrite.familyDescriptor()).build());
    assertEquals(
        List.of(),
        FamilySettings.violations(
            table(
                    FamilySettings.prepared(
                        ColumnFamilyDescriptorBuilder.newBuilder(family).setScope(0).build()),
                    PendingWrite.familyDescriptor())
                .build()),
        "prepared() remedies it");
  }

  private static void assertMarksViolation(
      String expected, UnaryOperator<ColumnFamilyDescriptorBuilder> change) {
    ColumnFamilyDescriptor marks =
        change
            .apply(ColumnFamilyDescriptorBuilder.newBuilder(PendingWrite.familyDescriptor()))
            .build();
    assertViolation(expected, table(DATA, marks).build());
  }

  private static void assertViolation(String expected, TableDescriptor table) {
    List<String> found = FamilySettings.violations(table);
    assertEquals(1, found.size(), found::toString);
    assertTrue(found.get(0).contains(expected), found::toString);
  }
}
