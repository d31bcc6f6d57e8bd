package io.retso.hbase.read;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ScanResultConsumer;

/** All rows of a scan, as the caller wants them: in memory. One for each scan. */
public final class RowCollector implements ScanResultConsumer {
  private final List<Result> rows = new ArrayList<>();
  private final CompletableFuture<List<Result>> all = new CompletableFuture<>();

  /** Completes at the end of the scan. */
  public CompletableFuture<List<Result>> all() {
    return all;
  }

  @Override
  public boolean onNext(Result row) {
    return rows.add(row);
  }

  @Override
  public void onError(Throwable failure) {
    all.completeExceptionally(failure);
  }

  @Override
  public void onComplete() {
    all.complete(rows);
  }
}
