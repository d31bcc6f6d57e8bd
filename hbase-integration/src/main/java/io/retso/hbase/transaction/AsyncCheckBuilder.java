package io.retso.hbase.transaction;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.client.AsyncTable;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.CheckAndMutateResult;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.io.TimeRange;

/**
 * Both builders that HBase's {@code AsyncTable} had before {@code CheckAndMutate}: the one of
 * conditions on a column, and the one of filters. Not thread-safe.
 */
@SuppressWarnings("deprecation") // in HBase's interface
final class AsyncCheckBuilder
    implements AsyncTable.CheckAndMutateBuilder, AsyncTable.CheckAndMutateWithFilterBuilder {
  private final HBaseAsyncTransactionalTable table;

  /** Made at the end, as the parts come in any order. */
  private final Supplier<CheckAndMutate.Builder> check;

  private byte[] qualifier;

  /** Null before there is a condition. */
  private CompareOperator operator;

  private byte[] value;

  AsyncCheckBuilder(HBaseAsyncTransactionalTable table, byte[] row, byte[] family) {
    Objects.requireNonNull(row, "row is null: name it");
    Objects.requireNonNull(family, "family is null: name it");
    this.table = table;
    this.check =
        () -> {
          Objects.requireNonNull(operator, "no condition: call ifNotExists, ifEquals or ifMatches");
          return CheckAndMutate.newBuilder(row).ifMatches(family, qualifier, operator, value);
        };
  }

  AsyncCheckBuilder(HBaseAsyncTransactionalTable table, byte[] row, Filter filter) {
    Objects.requireNonNull(filter, "filter is null: pass one");
    CheckAndMutate.Builder known = CheckAndMutate.newBuilder(row).ifMatches(filter);
    this.table = table;
    this.check = () -> known;
  }

  @Override
  public AsyncCheckBuilder qualifier(byte[] column) {
    this.qualifier = Objects.requireNonNull(column, "qualifier is null: name it");
    return this;
  }

  @Override
  public AsyncCheckBuilder timeRange(TimeRange range) {
    throw new IllegalArgumentException(
        "the snapshot is the time of a transaction's reads: no timeRange");
  }

  @Override
  public AsyncCheckBuilder ifNotExists() {
    this.operator = CompareOperator.EQUAL;
    this.value = null;
    return this;
  }

  @Override
  public AsyncCheckBuilder ifMatches(CompareOperator comparison, byte[] expected) {
    this.operator = Objects.requireNonNull(comparison, "operator is null: pass one");
    this.value = Objects.requireNonNull(expected, "value is null: pass one, or ifNotExists()");
    return this;
  }

  @Override
  public CompletableFuture<Boolean> thenPut(Put put) {
    return then(check.get().build(put));
  }

  @Override
  public CompletableFuture<Boolean> thenDelete(Delete delete) {
    return then(check.get().build(delete));
  }

  @Override
  public CompletableFuture<Boolean> thenMutate(RowMutations mutations) {
    return then(check.get().build(mutations));
  }

  private CompletableFuture<Boolean> then(CheckAndMutate action) {
    return table.checkAndMutate(action).thenApply(CheckAndMutateResult::isSuccess);
  }
}
