package io.retso.hbase.transaction;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.client.AsyncTable;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.CheckAndMutateResult;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.io.TimeRange;

/**
 * The builders that HBase's {@code AsyncTable} had before {@code CheckAndMutate}. Not thread-safe.
 */
@SuppressWarnings("deprecation") // of HBase's interface
final class AsyncCheckBuilder implements AsyncTable.CheckAndMutateBuilder {
  private final HBaseAsyncTransactionalTable table;
  private final byte[] row;
  private final byte[] family;
  private byte[] qualifier;

  /** Null before there is a condition. */
  private CompareOperator operator;

  private byte[] value;

  AsyncCheckBuilder(HBaseAsyncTransactionalTable table, byte[] row, byte[] family) {
    this.table = table;
    this.row = Objects.requireNonNull(row, "row is null: name it");
    this.family = Objects.requireNonNull(family, "family is null: name it");
  }

  @Override
  public AsyncTable.CheckAndMutateBuilder qualifier(byte[] column) {
    this.qualifier = Objects.requireNonNull(column, "qualifier is null: name it");
    return this;
  }

  @Override
  public AsyncTable.CheckAndMutateBuilder timeRange(TimeRange range) {
    throw noTimeRange();
  }

  private static IllegalArgumentException noTimeRange() {
    return new IllegalArgumentException(
        "the snapshot is the time of a transaction's reads: no timeRange");
  }

  @Override
  public AsyncTable.CheckAndMutateBuilder ifNotExists() {
    this.operator = CompareOperator.EQUAL;
    this.value = null;
    return this;
  }

  @Override
  public AsyncTable.CheckAndMutateBuilder ifMatches(CompareOperator comparison, byte[] expected) {
    this.operator = Objects.requireNonNull(comparison, "operator is null: pass one");
    this.value = Objects.requireNonNull(expected, "value is null: pass one, or ifNotExists()");
    return this;
  }

  /** The parts come in any order. */
  private CheckAndMutate.Builder check() {
    Objects.requireNonNull(operator, "no condition: call ifNotExists, ifEquals or ifMatches");
    return CheckAndMutate.newBuilder(row).ifMatches(family, qualifier, operator, value);
  }

  @Override
  public CompletableFuture<Boolean> thenPut(Put put) {
    return table.checkAndMutate(check().build(put)).thenApply(CheckAndMutateResult::isSuccess);
  }

  @Override
  public CompletableFuture<Boolean> thenDelete(Delete delete) {
    return table.checkAndMutate(check().build(delete)).thenApply(CheckAndMutateResult::isSuccess);
  }

  @Override
  public CompletableFuture<Boolean> thenMutate(RowMutations mutations) {
    return table
        .checkAndMutate(check().build(mutations))
        .thenApply(CheckAndMutateResult::isSuccess);
  }

  /** The builder whose condition is a filter. Not thread-safe. */
  record WithFilter(HBaseAsyncTransactionalTable table, CheckAndMutate.Builder check)
      implements AsyncTable.CheckAndMutateWithFilterBuilder {
    @Override
    public AsyncTable.CheckAndMutateWithFilterBuilder timeRange(TimeRange range) {
      throw noTimeRange();
    }

    @Override
    public CompletableFuture<Boolean> thenPut(Put put) {
      return table.checkAndMutate(check.build(put)).thenApply(CheckAndMutateResult::isSuccess);
    }

    @Override
    public CompletableFuture<Boolean> thenDelete(Delete delete) {
      return table.checkAndMutate(check.build(delete)).thenApply(CheckAndMutateResult::isSuccess);
    }

    @Override
    public CompletableFuture<Boolean> thenMutate(RowMutations mutations) {
      return table
          .checkAndMutate(check.build(mutations))
          .thenApply(CheckAndMutateResult::isSuccess);
    }
  }
}
