package io.retso.log.bookkeeper;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.retso.log.LedgerStore;
import io.retso.log.LogException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.apache.bookkeeper.client.BKException;
import org.apache.bookkeeper.client.LedgerHandle;

/**
 * A ledger that this process writes.
 *
 * <p>An entry is copied: the slowest bookie may still be sent it after the others have acknowledged
 * it, or a bookie that hangs after the entry went to another ledger, while the caller already
 * writes the next one into the same buffer.
 */
final class BookKeeperLedger implements LedgerStore.Ledger {
  private final LedgerHandle handle;
  private final Consumer<CompletableFuture<Void>> sealing;
  private final String what;

  /** The first failure: what comes after it fails for the same reason, whatever BookKeeper says. */
  private volatile LogException failed;

  /**
   * Makes it of an open handle.
   *
   * @param sealing is given what {@link #closeAsync} began
   */
  BookKeeperLedger(LedgerHandle handle, Consumer<CompletableFuture<Void>> sealing) {
    this.handle = handle;
    this.sealing = sealing;
    this.what = "append to ledger " + handle.getId();
  }

  @Override
  public long id() {
    return handle.getId();
  }

  @Override
  public void append(ByteBuffer entry, long context, LedgerStore.AppendCallback callback) {
    ByteBuf bytes =
        PooledByteBufAllocator.DEFAULT
            .directBuffer(entry.remaining())
            .writeBytes(entry.duplicate());
    handle.asyncAddEntry(
        bytes,
        (code, ledger, id, ignored) ->
            callback.completed(context, code == BKException.Code.OK ? null : failure(code)),
        null);
  }

  private LogException failure(int code) {
    LogException first = failed;
    if (first == null) {
      first = BookKeeperFailure.ofAppend(code, handle.getId(), what);
      failed = first;
    }
    return first;
  }

  @Override
  public CompletableFuture<Void> closeAsync() {
    CompletableFuture<Void> seal = handle.closeAsync();
    sealing.accept(seal);
    return seal;
  }
}
