package io.retso.hbase.read;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ScanResultConsumer;
import org.apache.hadoop.hbase.client.metrics.ScanMetrics;

/**
 * Rows of a scan go to the application's consumer, which is expected to keep up.
 *
 * <p>What the consumer is about to learn is in the read set first, and then the transaction must
 * still be open: so a commit in between either reports it, or keeps it from the consumer.
 *
 * @param owner the transaction
 * @param range learns what the consumer gets, before it does
 */
public record ConsumerSink(ScanOwner owner, ScanResultConsumer consumer, ScanRange range)
    implements SnapshotScan.Sink {
  @Override
  public boolean isOfApplication() {
    return true;
  }

  @Override
  public void measured(ScanMetrics metrics) {
    consumer.onScanMetricsCreated(metrics);
  }

  @Override
  public boolean next(Result row) {
    range.reached(row);
    if (!owner.isOpen()) {
      throw new CompletionException(owner.endOfScans()); // the scan fails with it
    }
    return consumer.onNext(row);
  }

  @Override
  public CompletableFuture<Void> room() {
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public void completed(boolean exhausted) {
    range.ended(exhausted);
    if (exhausted && !owner.isOpen()) {
      consumer.onError(owner.endOfScans());
    } else {
      consumer.onComplete();
    }
  }

  @Override
  public void failed(Throwable failure) {
    range.ended(false);
    consumer.onError(failure);
  }
}
