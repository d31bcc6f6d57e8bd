package io.retso.hbase.read;

import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ScanResultConsumer;
import org.apache.hadoop.hbase.client.metrics.ScanMetrics;

/**
 * Rows of a scan go to the application's consumer, which is expected to keep up.
 *
 * @param range learns what the consumer gets, before it does
 */
public record ConsumerSink(ScanResultConsumer consumer, ScanRange range)
    implements SnapshotScan.Sink {
  @Override
  public void measured(ScanMetrics metrics) {
    consumer.onScanMetricsCreated(metrics);
  }

  @Override
  public boolean next(Result row) {
    range.reached(row);
    return consumer.onNext(row);
  }

  @Override
  public CompletableFuture<Void> room() {
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public void completed(boolean exhausted) {
    range.ended(exhausted);
    consumer.onComplete();
  }

  @Override
  public void failed(Throwable failure) {
    range.ended(false);
    consumer.onError(failure);
  }
}
