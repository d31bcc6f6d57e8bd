package io.retso.hbase.layout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.options.Conflicts;
import io.retso.hbase.options.Reads;
import io.retso.protocol.OracleIdentity;
import java.io.IOException;
import java.util.List;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellBuilderFactory;
import org.apache.hadoop.hbase.CellBuilderType;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.KeepDeletedCells;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;

class DescriptorQueryTest {
  private static final TableName NAME = TableName.valueOf("t");
  private static final TableSettings SETTINGS =
      new TableSettings(
          Conflicts.CELL, Reads.SERVER, new OracleIdentity(new UUID(1, 2), "main"), "host:7521");

  private static final RegionSettings REGION =
      new RegionSettings("host,1,2", 3, true, true, 7, "example.Engine");

  private static TableDescriptor answer(TableDescriptor table) throws IOException {
    return DescriptorQuery.parse(Result.create(List.of(DescriptorQuery.answer(table, REGION))));
  }

  @Test
  void answersWithWhatDecidesAboutSnapshots() throws IOException {
    TableDescriptorBuilder table =
        TableDescriptorBuilder.newBuilder(NAME)
            .setDurability(Durability.ASYNC_WAL)
            .setCoprocessor("example.Observer")
            .setColumnFamily(
                ColumnFamilyDescriptorBuilder.newBuilder(PendingWrite.family())
                    .setTimeToLive(7)
                    .build())
            .setColumnFamily(
                ColumnFamilyDescriptorBuilder.newBuilder(Bytes.toBytes("f"))
                    .setMaxVersions(3)
                    .setMinVersions(1)
                    .setTimeToLive(60)
                    .setKeepDeletedCells(KeepDeletedCells.TRUE)
                    .setNewVersionBehavior(true)
                    .setScope(1)
                    .build());
    SETTINGS.writeTo(table);
    TableDescriptor answer = answer(table.build());
    assertEquals(NAME, answer.getTableName());
    assertEquals(SETTINGS, TableSettings.of(answer));
    assertTrue(answer.hasCoprocessor("example.Observer"));
    List<String> violations = FamilySettings.violations(table.build());
    assertEquals(10, violations.size(), violations::toString);
    assertEquals(violations, FamilySettings.violations(answer));
  }

  @Test
  void ofAPreparedTableNothingIsFoundWrong() throws IOException {
    TableDescriptorBuilder table =
        TableDescriptorBuilder.newBuilder(NAME)
            .setColumnFamily(PendingWrite.familyDescriptor())
            .setColumnFamily(
                FamilySettings.prepared(ColumnFamilyDescriptorBuilder.of(Bytes.toBytes("f"))));
    SETTINGS.writeTo(table);
    assertEquals(List.of(), FamilySettings.violations(answer(table.build())));
  }

  @Test
  void answersWithNoOtherProperties() throws IOException {
    TableDescriptor table =
        TableDescriptorBuilder.newBuilder(NAME)
            .setValue("OWNER", "secret")
            .setColumnFamily(
                ColumnFamilyDescriptorBuilder.newBuilder(Bytes.toBytes("f"))
                    .setEncryptionKey(Bytes.toBytes("secret"))
                    .build())
            .build();
    assertTrue(Bytes.contains(TableDescriptorBuilder.toByteArray(table), Bytes.toBytes("secret")));
    byte[] answer = CellUtil.cloneValue(DescriptorQuery.answer(table, REGION));
    assertFalse(Bytes.contains(answer, Bytes.toBytes("secret")));
    assertFalse(TableSettings.isPrepared(answer(table)));
  }

  @Test
  void answersWithSettingsOfTheRegionServer() throws IOException {
    TableDescriptor table = TableDescriptorBuilder.newBuilder(NAME).build();
    assertEquals(REGION, RegionSettings.of(answer(table)));
    assertNull(RegionSettings.of(table), "it is not an answer");
    RegionSettings usual = RegionSettings.of("here", new Configuration(false));
    assertEquals(
        new RegionSettings("here", TableSettings.VERSION, false, false, Long.MAX_VALUE, ""), usual);
    Cell answer = DescriptorQuery.answer(table, usual);
    assertEquals(usual, RegionSettings.of(DescriptorQuery.parse(Result.create(List.of(answer)))));
  }

  @Test
  void theQuestionIsKnownByItsAttribute() {
    Get query = DescriptorQuery.query();
    assertTrue(DescriptorQuery.isQuery(query));
    assertFalse(DescriptorQuery.isQuery(new Get(query.getRow())));
  }

  @Test
  void anEmptyResultIsNoAnswer() throws IOException {
    assertNull(DescriptorQuery.parse(Result.EMPTY_RESULT));
  }

  @Test
  void anAnswerOfAnotherVersionIsRefused() throws IOException {
    Cell cell = DescriptorQuery.answer(TableDescriptorBuilder.newBuilder(NAME).build(), REGION);
    Cell damaged =
        CellBuilderFactory.create(CellBuilderType.DEEP_COPY)
            .setRow(CellUtil.cloneRow(cell))
            .setFamily(CellUtil.cloneFamily(cell))
            .setQualifier(CellUtil.cloneQualifier(cell))
            .setTimestamp(0)
            .setType(Cell.Type.Put)
            .setValue(new byte[] {1, 2, 3})
            .build();
    IOException e =
        assertThrows(
            IOException.class, () -> DescriptorQuery.parse(Result.create(List.of(damaged))));
    assertTrue(e.getMessage().contains("another version"), e::getMessage);
  }
}
