package io.retso.hbase;

import java.io.IOException;
import java.util.Objects;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.io.TimeRange;

/** The builders that HBase's {@code Table} had before {@code CheckAndMutate}. Not thread-safe. */
@SuppressWarnings("deprecation") // of HBase's interface
final class CheckBuilder implements Table.CheckAndMutateBuilder {
  private final TransactionalTable table;
  private final byte[] row;
  private final byte[] family;
  private byte[] qualifier;
  private CheckAndMutate.Builder check;

  CheckBuilder(TransactionalTable table, byte[] row, byte[] family) {
    this.table = table;
    this.row = Objects.requireNonNull(row, "row");
    this.family = Objects.requireNonNull(family, "family");
  }

  @Override
  public Table.CheckAndMutateBuilder qualifier(byte[] column) {
    this.qualifier = Objects.requireNonNull(column, "qualifier");
    return this;
  }

  @Override
  public Table.CheckAndMutateBuilder timeRange(TimeRange range) {
    throw noTimeRange();
  }

  static IllegalArgumentException noTimeRange() {
    return new IllegalArgumentException(
        "the snapshot is the time of a transaction's reads: no timeRange");
  }

  @Override
  public Table.CheckAndMutateBuilder ifNotExists() {
    this.check = CheckAndMutate.newBuilder(row).ifNotExists(family, qualifier);
    return this;
  }

  @Override
  public Table.CheckAndMutateBuilder ifMatches(CompareOperator operator, byte[] value) {
    this.check = CheckAndMutate.newBuilder(row).ifMatches(family, qualifier, operator, value);
    return this;
  }

  private CheckAndMutate.Builder check() {
    return Objects.requireNonNull(check, "no condition: call ifNotExists, ifEquals or ifMatches");
  }

  @Override
  public boolean thenPut(Put put) throws IOException {
    return table.checkAndMutate(check().build(put)).isSuccess();
  }

  @Override
  public boolean thenDelete(Delete delete) throws IOException {
    return table.checkAndMutate(check().build(delete)).isSuccess();
  }

  @Override
  public boolean thenMutate(RowMutations mutations) throws IOException {
    return table.checkAndMutate(check().build(mutations)).isSuccess();
  }

  /** The builder whose condition is a filter. Not thread-safe. */
  record WithFilter(TransactionalTable table, CheckAndMutate.Builder check)
      implements Table.CheckAndMutateWithFilterBuilder {
    @Override
    public Table.CheckAndMutateWithFilterBuilder timeRange(TimeRange range) {
      throw noTimeRange();
    }

    @Override
    public boolean thenPut(Put put) throws IOException {
      return table.checkAndMutate(check.build(put)).isSuccess();
    }

    @Override
    public boolean thenDelete(Delete delete) throws IOException {
      return table.checkAndMutate(check.build(delete)).isSuccess();
    }

    @Override
    public boolean thenMutate(RowMutations mutations) throws IOException {
      return table.checkAndMutate(check.build(mutations)).isSuccess();
    }
  }
}
