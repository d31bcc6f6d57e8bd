package io.retso.hbase.transaction;

import io.retso.hbase.AsyncTransactionalTable;
import io.retso.hbase.operation.OperationChecks;
import io.retso.hbase.operation.OrderedBatch;
import io.retso.hbase.read.RowCollector;
import io.retso.hbase.read.TableReader;
import io.retso.hbase.recording.TransactionRecord;
import io.retso.hbase.table.PreparedTable;
import io.retso.hbase.write.TableEdits;
import io.retso.text.Text;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.AsyncTableRegionLocator;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.CheckAndMutateResult;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Row;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.ScanResultConsumer;
import org.apache.hadoop.hbase.client.ServiceCaller;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.filter.Filter;

/** A table within one transaction; does the work of {@link HBaseTransactionalTable}, too. */
final class HBaseAsyncTransactionalTable implements AsyncTransactionalTable {
  private final TransactionCore tx;
  private final PreparedTable table;
  private final OperationChecks checks;
  private final TableReads reads;
  private final TableEdits edits;

  /** Whether the application gets the futures; otherwise a blocking method waits for them. */
  private final boolean isHeld;

  HBaseAsyncTransactionalTable(
      TransactionCore tx, PreparedTable table, OperationChecks checks, TableReader reader) {
    this.tx = tx;
    this.table = table;
    this.checks = checks;
    this.reads = new TableReads(tx, reader, tx.begun.reads());
    this.edits = new TableEdits(tx.begun.start(), table, tx.begun.writes(), checks, reads);
    this.isHeld = true;
  }

  private HBaseAsyncTransactionalTable(
      HBaseAsyncTransactionalTable of, TableReads reads, boolean isHeld) {
    this.tx = of.tx;
    this.table = of.table;
    this.checks = of.checks;
    this.reads = reads;
    this.edits = of.edits; // what writes have read first counts in any case
    this.isHeld = isHeld;
  }

  /** This table for its blocking twin, which keeps the futures to itself. */
  HBaseAsyncTransactionalTable awaited() {
    return new HBaseAsyncTransactionalTable(this, reads, false);
  }

  @Override
  public HBaseAsyncTransactionalTable untracked() {
    return new HBaseAsyncTransactionalTable(this, reads.untracked(), isHeld);
  }

  private <T> CompletableFuture<T> run(boolean isWrite, Supplier<CompletableFuture<T>> operation) {
    return tx.run(isWrite, isHeld, operation);
  }

  private void note(String kind, List<Get> gets) {
    if (tx.begun.recorded() != null) {
      tx.begun.recorded().reads(kind, place(), gets);
    }
  }

  private void note(List<? extends Row> actions) {
    if (tx.begun.recorded() != null) {
      tx.begun.recorded().actions(place(), actions);
    }
  }

  private void note(Scan scan) {
    if (tx.begun.recorded() != null) {
      tx.begun.recorded().scan(reads.kind("scan"), place(), scan);
    }
  }

  private TransactionRecord.Place place() {
    return new TransactionRecord.Place(table.name().getNameAsString(), table.isCellConflicts());
  }

  @Override
  public TableName getName() {
    return table.name();
  }

  @Override
  public Configuration getConfiguration() {
    return table.raw().getConfiguration();
  }

  @Override
  public CompletableFuture<TableDescriptor> getDescriptor() {
    return table.raw().getDescriptor();
  }

  @Override
  public AsyncTableRegionLocator getRegionLocator() {
    return table.raw().getRegionLocator();
  }

  @Override
  public CompletableFuture<Boolean> exists(Get get) {
    return existsAll(List.of(notNull(get))).thenApply(all -> all.get(0));
  }

  @Override
  public List<CompletableFuture<Boolean>> exists(List<Get> gets) {
    return spread(existsAll(gets), gets.size());
  }

  @Override
  public CompletableFuture<List<Boolean>> existsAll(List<Get> gets) {
    List<Get> checked = checkedGets(gets);
    note(reads.kind("get"), checked);
    checked.forEach(get -> get.setCheckExistenceOnly(true));
    return run(false, () -> reads.read(checked))
        .thenApply(results -> results.stream().map(Result::getExists).toList());
  }

  @Override
  public CompletableFuture<Result> get(Get get) {
    return getAll(List.of(notNull(get))).thenApply(all -> all.get(0));
  }

  @Override
  public List<CompletableFuture<Result>> get(List<Get> gets) {
    return spread(getAll(gets), gets.size());
  }

  @Override
  public CompletableFuture<List<Result>> getAll(List<Get> gets) {
    List<Get> checked = checkedGets(gets);
    note(reads.kind("get"), checked);
    return run(false, () -> reads.read(checked));
  }

  @Override
  public CompletableFuture<Result> getForUpdate(Get get) {
    Get checked = protectable(get, "getForUpdate");
    return run(false, () -> reads.forUpdate(checked));
  }

  @Override
  public CompletableFuture<Result> getValidated(Get get) {
    Get checked = protectable(get, "getValidated");
    return run(false, () -> reads.validated(checked));
  }

  @Override
  public CompletableFuture<Void> addWriteConflict(Get of) {
    Get checked = protectable(of, "addWriteConflict");
    return run(false, () -> reads.addWriteConflict(checked));
  }

  @Override
  public CompletableFuture<Void> addReadConflict(Get of) {
    Get checked = protectable(of, "addReadConflict");
    return run(false, () -> reads.addReadConflict(checked));
  }

  private Get protectable(Get get, String operation) {
    Get checked = checkedGets(List.of(notNull(get))).get(0);
    tx.life.requireWriter();
    if (!table.canName(checked)) {
      throw new IllegalArgumentException(
          Text.of(
              "the conflicts of table %s are by cell: name the columns of the get, as %s protects"
                  + " no others",
              table.name(), operation));
    }
    note(operation, List.of(checked));
    return checked;
  }

  static <T> T notNull(T argument) {
    return Objects.requireNonNull(
        argument, "the argument is null: pass one, or leave the call out");
  }

  private List<Get> checkedGets(List<Get> gets) {
    List<Get> checked = new ArrayList<>(notNull(gets).size());
    for (Get get : gets) {
      checks.check(get);
      checked.add(new Get(get));
    }
    return checked;
  }

  @Override
  public CompletableFuture<Void> put(Put put) {
    return mutateAll(List.of(notNull(put)));
  }

  @Override
  public List<CompletableFuture<Void>> put(List<Put> puts) {
    return spreadVoid(mutateAll(puts), puts.size());
  }

  @Override
  public CompletableFuture<Void> putAll(List<Put> puts) {
    return mutateAll(puts);
  }

  @Override
  public CompletableFuture<Void> delete(Delete delete) {
    return mutateAll(List.of(notNull(delete)));
  }

  @Override
  public List<CompletableFuture<Void>> delete(List<Delete> deletes) {
    return spreadVoid(mutateAll(deletes), deletes.size());
  }

  @Override
  public CompletableFuture<Void> deleteAll(List<Delete> deletes) {
    return mutateAll(deletes);
  }

  /** Puts, or deletes, of any rows: all or none. */
  private CompletableFuture<Void> mutateAll(List<? extends Mutation> mutations) {
    for (Mutation mutation : notNull(mutations)) {
      checks.check((Row) mutation);
    }
    List<Mutation> checked = List.copyOf(mutations);
    note(checked);
    return run(true, () -> edits.editAll(checked));
  }

  @Override
  public CompletableFuture<Result> append(Append append) {
    return editRow(notNull(append), append.getRow(), List.of(append));
  }

  @Override
  public CompletableFuture<Result> increment(Increment increment) {
    return editRow(notNull(increment), increment.getRow(), List.of(increment));
  }

  @Override
  public CompletableFuture<Result> mutateRow(RowMutations mutations) {
    return editRow(notNull(mutations), mutations.getRow(), mutations.getMutations())
        .thenApply(HBaseAsyncTransactionalTable::carriedOut);
  }

  /** As HBase answers row mutations: with "exists". */
  private static Result carriedOut(Result result) {
    if (result.isEmpty()) {
      return Result.create(List.of(), true, false);
    }
    result.setExists(true);
    return result;
  }

  private CompletableFuture<Result> editRow(
      Row action, byte[] row, List<? extends Mutation> mutations) {
    checks.check(action);
    note(List.of(action));
    return run(true, () -> edits.edit(row, mutations));
  }

  @Override
  public CompletableFuture<CheckAndMutateResult> checkAndMutate(CheckAndMutate action) {
    checks.check(notNull(action));
    note(List.of(action));
    return run(true, () -> edits.checkThenEdit(action));
  }

  @Override
  public List<CompletableFuture<CheckAndMutateResult>> checkAndMutate(
      List<CheckAndMutate> actions) {
    return batch(actions);
  }

  @Override
  public <T> List<CompletableFuture<T>> batch(List<? extends Row> actions) {
    notNull(actions).forEach(checks::check);
    note(actions);
    OrderedBatch batch = new OrderedBatch(actions, this::step);
    return batch.outcomes(run(batch.hasWrites(), batch::run));
  }

  /** Several gets, or one action of another kind. */
  private CompletableFuture<? extends List<?>> step(List<? extends Row> actions) {
    Row action = actions.get(0);
    if (action instanceof Get) {
      return reads.read(actions.stream().map(get -> new Get((Get) get)).toList());
    }
    if (action instanceof CheckAndMutate conditional) {
      return edits.checkThenEdit(conditional).thenApply(List::of);
    }
    if (action instanceof RowMutations many) {
      return edits
          .edit(action.getRow(), many.getMutations())
          .thenApply(result -> List.of(carriedOut(result)));
    }
    return edits.edit(action.getRow(), List.of((Mutation) action)).thenApply(List::of);
  }

  @Override
  public void scan(Scan scan, ScanResultConsumer consumer) {
    checks.check(notNull(scan));
    note(scan);
    reads.scan(scan, notNull(consumer));
  }

  @Override
  public ResultScanner getScanner(Scan scan) {
    checks.check(notNull(scan));
    note(scan);
    return reads.scanner(scan);
  }

  @Override
  public CompletableFuture<List<Result>> scanAll(Scan scan) {
    RowCollector rows = new RowCollector();
    scan(scan, rows);
    return rows.all();
  }

  private static <T> List<CompletableFuture<T>> spread(CompletableFuture<List<T>> all, int size) {
    return IntStream.range(0, size)
        .mapToObj(index -> all.thenApply(results -> results.get(index)))
        .toList();
  }

  private static List<CompletableFuture<Void>> spreadVoid(CompletableFuture<Void> all, int size) {
    return Stream.generate(all::copy).limit(size).toList();
  }

  @Override
  public long getRpcTimeout(TimeUnit unit) {
    return table.raw().getRpcTimeout(unit);
  }

  @Override
  public long getReadRpcTimeout(TimeUnit unit) {
    return table.raw().getReadRpcTimeout(unit);
  }

  @Override
  public long getWriteRpcTimeout(TimeUnit unit) {
    return table.raw().getWriteRpcTimeout(unit);
  }

  @Override
  public long getOperationTimeout(TimeUnit unit) {
    return table.raw().getOperationTimeout(unit);
  }

  @Override
  public long getScanTimeout(TimeUnit unit) {
    return table.raw().getScanTimeout(unit);
  }

  @Override
  @Deprecated
  public AsyncCheckBuilder checkAndMutate(byte[] row, byte[] family) {
    return new AsyncCheckBuilder(this, row, family);
  }

  @Override
  @Deprecated
  public AsyncCheckBuilder checkAndMutate(byte[] row, Filter filter) {
    return new AsyncCheckBuilder(this, row, filter);
  }

  @Override
  public <S, R> CompletableFuture<R> coprocessorService(
      Function<com.google.protobuf.RpcChannel, S> stub, ServiceCaller<S, R> caller, byte[] row) {
    throw noServices();
  }

  @Override
  public <S, R> CoprocessorServiceBuilder<S, R> coprocessorService(
      Function<com.google.protobuf.RpcChannel, S> stub,
      ServiceCaller<S, R> caller,
      CoprocessorCallback<R> callback) {
    throw noServices();
  }

  static UnsupportedOperationException noServices() {
    return new UnsupportedOperationException(
        "a coprocessor's service knows nothing of the transaction: use HBase's own Table");
  }
}
