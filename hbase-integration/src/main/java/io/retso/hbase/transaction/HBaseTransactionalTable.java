package io.retso.hbase.transaction;

import com.google.protobuf.Descriptors;
import com.google.protobuf.Message;
import com.google.protobuf.Service;
import io.retso.hbase.TransactionalTable;
import io.retso.hbase.futures.Futures;
import io.retso.text.ErrorText;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.CheckAndMutateResult;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Row;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.coprocessor.Batch;
import org.apache.hadoop.hbase.filter.CompareFilter;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.ipc.CoprocessorRpcChannel;
import org.apache.hadoop.hbase.util.Bytes;

/** A table within one transaction, by waiting for its asynchronous twin. */
final class HBaseTransactionalTable implements TransactionalTable {
  private final Lifecycle life;
  private final HBaseAsyncTransactionalTable async;

  HBaseTransactionalTable(Lifecycle life, HBaseAsyncTransactionalTable async) {
    this.life = life;
    this.async = async;
  }

  <T> T await(java.util.function.Supplier<CompletableFuture<T>> operation) throws IOException {
    return life.exclusive(() -> Futures.await(operation.get()));
  }

  @Override
  public TableName getName() {
    return async.getName();
  }

  @Override
  public Configuration getConfiguration() {
    return async.getConfiguration();
  }

  @Override
  public org.apache.hadoop.hbase.client.TableDescriptor getDescriptor() throws IOException {
    return await(async::getDescriptor);
  }

  @Override
  public RegionLocator getRegionLocator() {
    return new TableLocator(async.getRegionLocator());
  }

  @Override
  public boolean exists(Get get) throws IOException {
    return await(() -> async.exists(get));
  }

  @Override
  public boolean[] exists(List<Get> gets) throws IOException {
    List<Boolean> all = await(() -> async.existsAll(gets));
    boolean[] exist = new boolean[all.size()];
    for (int i = 0; i < exist.length; i++) {
      exist[i] = all.get(i);
    }
    return exist;
  }

  @Override
  public Result get(Get get) throws IOException {
    return await(() -> async.get(get));
  }

  @Override
  public Result[] get(List<Get> gets) throws IOException {
    refuseNulls(gets);
    return await(() -> async.getAll(gets)).toArray(Result[]::new);
  }

  @Override
  public Result getForUpdate(Get get) throws IOException {
    return await(() -> async.getForUpdate(get));
  }

  @Override
  public Result getValidated(Get get) throws IOException {
    return await(() -> async.getValidated(get));
  }

  @Override
  public void addWriteConflict(Get of) throws IOException {
    await(() -> async.addWriteConflict(of));
  }

  @Override
  public void addReadConflict(Get of) throws IOException {
    await(() -> async.addReadConflict(of));
  }

  @Override
  public HBaseTransactionalTable untracked() {
    return new HBaseTransactionalTable(life, async.untracked());
  }

  @Override
  public ResultScanner getScanner(Scan scan) throws IOException {
    return life.exclusive(() -> async.getScanner(scan));
  }

  @Override
  public ResultScanner getScanner(byte[] family) throws IOException {
    return getScanner(new Scan().addFamily(family));
  }

  @Override
  public ResultScanner getScanner(byte[] family, byte[] qualifier) throws IOException {
    return getScanner(new Scan().addColumn(family, qualifier));
  }

  @Override
  public void put(Put put) throws IOException {
    await(() -> async.put(put));
  }

  /** All or none. */
  @Override
  public void put(List<Put> puts) throws IOException {
    await(() -> async.putAll(puts));
  }

  @Override
  public void delete(Delete delete) throws IOException {
    await(() -> async.delete(delete));
  }

  @Override
  public void delete(List<Delete> deletes) throws IOException {
    refuseNulls(deletes);
    await(() -> async.deleteAll(deletes));
  }

  @Override
  public Result append(Append append) throws IOException {
    return await(() -> async.append(append));
  }

  @Override
  public Result increment(Increment increment) throws IOException {
    return await(() -> async.increment(increment));
  }

  @Override
  public long incrementColumnValue(byte[] row, byte[] family, byte[] qualifier, long amount)
      throws IOException {
    return incrementColumnValue(row, family, qualifier, amount, Durability.USE_DEFAULT);
  }

  @Override
  public long incrementColumnValue(
      byte[] row, byte[] family, byte[] qualifier, long amount, Durability durability)
      throws IOException {
    Increment increment;
    try {
      Objects.requireNonNull(durability, "durability is null");
      increment = new Increment(row).addColumn(family, qualifier, amount);
    } catch (NullPointerException | IllegalArgumentException e) {
      throw new IOException( // as HBase's Table does
          "incrementColumnValue takes a row, a family and a durability, none of them null: "
              + ErrorText.of(e),
          e);
    }
    return Bytes.toLong(increment(increment.setDurability(durability)).getValue(family, qualifier));
  }

  /** As HBase's Table does it; its asynchronous one throws NullPointerException. */
  private static void refuseNulls(List<?> actions) {
    for (Object action : HBaseAsyncTransactionalTable.notNull(actions)) {
      if (action == null) {
        throw new IllegalArgumentException("an action of the list is null: leave it out");
      }
    }
  }

  @Override
  public Result mutateRow(RowMutations mutations) throws IOException {
    return await(() -> async.mutateRow(mutations));
  }

  @Override
  public void batch(List<? extends Row> actions, Object[] results) throws IOException {
    if (results != null && results.length != HBaseAsyncTransactionalTable.notNull(actions).size()) {
      throw new IllegalArgumentException(
          "an array of " + results.length + " cannot take the results of " + actions.size());
    }
    refuseNulls(actions);
    life.exclusive(
        () -> {
          List<CompletableFuture<Object>> outcomes = async.batch(actions);
          try {
            return Futures.await(Futures.all(outcomes));
          } finally {
            for (int i = 0; results != null && i < results.length; i++) {
              results[i] = resultOrFailure(outcomes.get(i));
            }
          }
        });
  }

  /** A result, or what failed; null if it is under way, as the caller was interrupted. */
  private static Object resultOrFailure(CompletableFuture<Object> outcome) {
    return outcome
        .handle((result, failure) -> failure == null ? result : Futures.unwrap(failure))
        .getNow(null);
  }

  @Override
  public <R> void batchCallback(
      List<? extends Row> actions, Object[] results, Batch.Callback<R> callback)
      throws IOException {
    int size = HBaseAsyncTransactionalTable.notNull(actions).size();
    Object[] all = results == null ? new Object[size] : results;
    Arrays.fill(all, null); // what is there if the call is refused is no result
    try {
      batch(actions, all);
    } finally {
      for (int i = 0; i < all.length && callback != null; i++) {
        if (all[i] != null && !(all[i] instanceof Throwable)) {
          @SuppressWarnings("unchecked") // the caller says what the actions return, as in HBase
          R result = (R) all[i];
          callback.update(null, actions.get(i).getRow(), result); // no region: not written yet
        }
      }
    }
  }

  @Override
  public CheckAndMutateResult checkAndMutate(CheckAndMutate action) throws IOException {
    return await(() -> async.checkAndMutate(action));
  }

  /** Carries out the actions in their order. */
  @Override
  public List<CheckAndMutateResult> checkAndMutate(List<CheckAndMutate> actions)
      throws IOException {
    return await(() -> async.checkAndMutateAll(actions));
  }

  /** What the deprecated {@code checkAndPut} and {@code checkAndDelete} come down to as well. */
  @Override
  @Deprecated
  public boolean checkAndMutate(
      byte[] row,
      byte[] family,
      byte[] qualifier,
      CompareOperator operator,
      byte[] value,
      RowMutations mutations)
      throws IOException {
    CheckAndMutate.Builder check = CheckAndMutate.newBuilder(row);
    return checkAndMutate(
            (value == null && operator == CompareOperator.EQUAL
                    ? check.ifNotExists(family, qualifier)
                    : check.ifMatches(family, qualifier, operator, value))
                .build(mutations))
        .isSuccess();
  }

  /** As the one before; HBase has had two names for operators. */
  @Override
  @Deprecated
  @SuppressWarnings("deprecation") // CompareOp
  public boolean checkAndMutate(
      byte[] row,
      byte[] family,
      byte[] qualifier,
      CompareFilter.CompareOp operator,
      byte[] value,
      RowMutations mutations)
      throws IOException {
    CompareOperator sameName = CompareOperator.valueOf(operator.name());
    return checkAndMutate(row, family, qualifier, sameName, value, mutations);
  }

  @Override
  @Deprecated
  public CheckAndMutateBuilder checkAndMutate(byte[] row, byte[] family) {
    return new CheckBuilder(this, async.checkAndMutate(row, family));
  }

  @Override
  @Deprecated
  public CheckAndMutateWithFilterBuilder checkAndMutate(byte[] row, Filter filter) {
    return new CheckBuilder(this, async.checkAndMutate(row, filter));
  }

  @Override
  public void close() {}

  @Override
  public long getRpcTimeout(TimeUnit unit) {
    return async.getRpcTimeout(unit);
  }

  @Override
  public long getReadRpcTimeout(TimeUnit unit) {
    return async.getReadRpcTimeout(unit);
  }

  @Override
  public long getWriteRpcTimeout(TimeUnit unit) {
    return async.getWriteRpcTimeout(unit);
  }

  @Override
  public long getOperationTimeout(TimeUnit unit) {
    return async.getOperationTimeout(unit);
  }

  @Override
  @Deprecated
  public void setReadRpcTimeout(int millis) {
    throw noTimeouts();
  }

  @Override
  @Deprecated
  public void setWriteRpcTimeout(int millis) {
    throw noTimeouts();
  }

  /** Not supported: all transactions of a manager share its tables. */
  @Override
  @Deprecated
  public void setOperationTimeout(int millis) {
    throw noTimeouts();
  }

  private static UnsupportedOperationException noTimeouts() {
    return new UnsupportedOperationException(
        "timeouts are the same for all transactions of a manager: set hbase.rpc.timeout,"
            + " hbase.rpc.read.timeout, hbase.rpc.write.timeout or hbase.client.operation.timeout"
            + " in its configuration");
  }

  /** None: {@code TableBuilder} sets them, and a transaction's tables have none. */
  @Override
  public Map<String, byte[]> getRequestAttributes() {
    return Map.of();
  }

  // Not supported, as what follows: a coprocessor's service knows nothing of the transaction.

  @Override
  @Deprecated
  public CoprocessorRpcChannel coprocessorService(byte[] row) {
    throw HBaseAsyncTransactionalTable.noServices();
  }

  @Override
  @Deprecated
  public <T extends Service, R> Map<byte[], R> coprocessorService(
      Class<T> service, byte[] startKey, byte[] endKey, Batch.Call<T, R> callable) {
    throw HBaseAsyncTransactionalTable.noServices();
  }

  @Override
  @Deprecated
  public <T extends Service, R> void coprocessorService(
      Class<T> service,
      byte[] startKey,
      byte[] endKey,
      Batch.Call<T, R> callable,
      Batch.Callback<R> callback) {
    throw HBaseAsyncTransactionalTable.noServices();
  }

  @Override
  @Deprecated
  public <R extends Message> Map<byte[], R> batchCoprocessorService(
      Descriptors.MethodDescriptor method,
      Message request,
      byte[] startKey,
      byte[] endKey,
      R responsePrototype) {
    throw HBaseAsyncTransactionalTable.noServices();
  }

  @Override
  @Deprecated
  public <R extends Message> void batchCoprocessorService(
      Descriptors.MethodDescriptor method,
      Message request,
      byte[] startKey,
      byte[] endKey,
      R responsePrototype,
      Batch.Callback<R> callback) {
    throw HBaseAsyncTransactionalTable.noServices();
  }
}
