package io.retso.hbase.layout;

import java.io.IOException;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.CoprocessorDescriptor;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.OperationWithAttributes;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.exceptions.DeserializationException;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Asks a table's region how the table holds transactions. HBase's master shows descriptors only to
 * those who may alter them; a region answers this much to users that may read. Names of families
 * and what decides about snapshots are in the answer, and what matters of the server's own
 * configuration ({@link RegionSettings}); the rest, which may be secret, is not.
 *
 * <p>It is a get of a column that no table has. A region with the coprocessor answers as if there
 * were such a cell.
 */
public final class DescriptorQuery {
  private static final String ATTRIBUTE = "retso.descriptor";
  private static final String TOKEN_ATTRIBUTE = "retso.token";
  private static final byte[] ANY_ROW = {0};

  /** Qualifiers of marks have 8 bytes. */
  private static final byte[] QUALIFIER = Bytes.toBytes("descriptor");

  /** Behind the other. */
  private static final byte[] TOKEN_QUALIFIER = Bytes.toBytes("token");

  private DescriptorQuery() {}

  /** The question, to the first region. */
  public static Get query() {
    return query(ANY_ROW);
  }

  /** The question, to the region that has the row. */
  public static Get query(byte[] row) {
    Get get = new Get(row).addColumn(PendingWrite.family(), QUALIFIER);
    get.setAttribute(ATTRIBUTE, new byte[0]);
    return get;
  }

  /** The question, and a token of the oracle for the user that asks. */
  public static Get tokenQuery() {
    Get get = query();
    get.setAttribute(TOKEN_ATTRIBUTE, new byte[0]);
    return get;
  }

  /** Whether a question wants a token, too. */
  public static boolean wantsToken(OperationWithAttributes query) {
    return query.getAttribute(TOKEN_ATTRIBUTE) != null;
  }

  /** A token, behind the {@link #answer}. */
  public static Cell token(byte[] token) {
    return new KeyValue(
        ANY_ROW, PendingWrite.family(), TOKEN_QUALIFIER, 0, KeyValue.Type.Put, token);
  }

  /** The token in an answer; null if the region knows no tokens. */
  public static byte[] tokenOf(Result answer) {
    return answer.getValue(PendingWrite.family(), TOKEN_QUALIFIER);
  }

  public static boolean isQuery(OperationWithAttributes read) {
    return read.getAttribute(ATTRIBUTE) != null;
  }

  public static Cell answer(TableDescriptor table, RegionSettings region) throws IOException {
    byte[] value = TableDescriptorBuilder.toByteArray(excerpt(table, region));
    return new KeyValue(ANY_ROW, PendingWrite.family(), QUALIFIER, 0, KeyValue.Type.Put, value);
  }

  /**
   * What the answer says, a descriptor with nothing but what transactions need.
   *
   * @return null if the region did not know the question
   * @throws IOException if the answer cannot be read
   */
  public static TableDescriptor parse(Result answer) throws IOException {
    Cell cell = answer.getColumnLatestCell(PendingWrite.family(), QUALIFIER);
    if (cell == null) {
      return null;
    }
    try {
      return TableDescriptorBuilder.parseFrom(CellUtil.cloneValue(cell));
    } catch (DeserializationException e) {
      throw new IOException(
          "a region's answer about its table cannot be read: does the region server have another"
              + " version of ReTSO or HBase?",
          e);
    }
  }

  /** Whether the region knew the question. */
  public static boolean isAnswer(Result answer) {
    return answer.getColumnLatestCell(PendingWrite.family(), QUALIFIER) != null;
  }

  private static TableDescriptor excerpt(TableDescriptor table, RegionSettings region)
      throws IOException {
    TableDescriptorBuilder excerpt =
        TableDescriptorBuilder.newBuilder(table.getTableName())
            .setDurability(table.getDurability());
    TableSettings.copy(table, excerpt);
    region.writeTo(excerpt);
    for (CoprocessorDescriptor coprocessor : table.getCoprocessorDescriptors()) {
      excerpt.setCoprocessor(coprocessor.getClassName());
    }
    for (ColumnFamilyDescriptor family : table.getColumnFamilies()) {
      ColumnFamilyDescriptorBuilder builder =
          ColumnFamilyDescriptorBuilder.newBuilder(family.getName());
      if (family.getInMemoryCompaction() != null) {
        builder.setInMemoryCompaction(family.getInMemoryCompaction());
      }
      excerpt.setColumnFamily(
          builder
              .setMaxVersions(family.getMaxVersions())
              .setMinVersions(family.getMinVersions())
              .setTimeToLive(family.getTimeToLive())
              .setKeepDeletedCells(family.getKeepDeletedCells())
              .setNewVersionBehavior(family.isNewVersionBehavior())
              .setInMemory(family.isInMemory())
              .setScope(family.getScope())
              .build());
    }
    return excerpt.build();
  }
}
