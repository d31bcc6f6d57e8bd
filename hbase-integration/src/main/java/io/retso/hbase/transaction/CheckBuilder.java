package io.retso.hbase.transaction;

import java.io.IOException;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.io.TimeRange;

/**
 * Both builders that HBase's {@code Table} had before {@code CheckAndMutate}: the asynchronous one,
 * waiting for the answer. Not thread-safe.
 */
@SuppressWarnings("deprecation") // in HBase's interface
record CheckBuilder(HBaseTransactionalTable table, AsyncCheckBuilder async)
    implements Table.CheckAndMutateBuilder, Table.CheckAndMutateWithFilterBuilder {
  @Override
  public CheckBuilder qualifier(byte[] column) {
    async.qualifier(column);
    return this;
  }

  @Override
  public CheckBuilder timeRange(TimeRange range) {
    async.timeRange(range);
    return this;
  }

  @Override
  public CheckBuilder ifNotExists() {
    async.ifNotExists();
    return this;
  }

  @Override
  public CheckBuilder ifMatches(CompareOperator operator, byte[] value) {
    async.ifMatches(operator, value);
    return this;
  }

  @Override
  public boolean thenPut(Put put) throws IOException {
    return table.await(() -> async.thenPut(put));
  }

  @Override
  public boolean thenDelete(Delete delete) throws IOException {
    return table.await(() -> async.thenDelete(delete));
  }

  @Override
  public boolean thenMutate(RowMutations mutations) throws IOException {
    return table.await(() -> async.thenMutate(mutations));
  }
}
