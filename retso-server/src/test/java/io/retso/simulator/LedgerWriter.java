package io.retso.simulator;

import io.retso.log.LedgerStore;
import io.retso.log.LogException;
import io.retso.log.LogException.Reason;
import io.retso.simulator.Bookie.Verdict;
import io.retso.simulator.SimulatedLedgers.Stored;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;

/** A ledger in the hands of its writer. */
final class LedgerWriter implements LedgerStore.Ledger {
  private static final class Append {
    int index;
    ByteBuffer entry;
    byte[] bytes;
    long context;
    LedgerStore.AppendCallback callback;
    int done;
    int failed;
  }

  private final SimulatedStore store;
  private final Stored ledger;
  private final ArrayDeque<Append> outstanding = new ArrayDeque<>();
  private int sent;
  private int acknowledged;
  private LogException failure;

  LedgerWriter(SimulatedStore store, Stored ledger) {
    this.store = store;
    this.ledger = ledger;
  }

  @Override
  public long id() {
    return ledger.id;
  }

  @Override
  public void append(ByteBuffer entry, long context, LedgerStore.AppendCallback callback) {
    Append append = new Append();
    append.index = sent++;
    append.entry = entry;
    append.bytes = new byte[entry.remaining()];
    entry.duplicate().get(append.bytes);
    append.context = context;
    append.callback = callback;
    outstanding.add(append);
    Bookie.Entry written = new Bookie.Entry(append.bytes, acknowledged);
    store.simulation().after(0, () -> send(append, written));
  }

  private void send(Append append, Bookie.Entry written) {
    if (failure != null) {
      failAll();
      return;
    }
    for (int bookie : ledger.ensemble) {
      store.<Verdict>ask(
          bookie,
          (peer, answer) -> peer.add(ledger.id, append.index, written, false, answer),
          true,
          verdict -> answered(append, verdict));
    }
  }

  private void answered(Append append, Verdict verdict) {
    if (verdict == Verdict.DONE) {
      append.done++;
      acknowledge();
    } else if (verdict == Verdict.FENCED) {
      fail(new LogException(Reason.FENCED, "another server took over"));
    } else if (++append.failed > ledger.ensemble.size() - SimulatedLedgers.ACK_QUORUM) {
      fail(new LogException(Reason.UNAVAILABLE, "too few bookies"));
    }
  }

  private void acknowledge() {
    while (!outstanding.isEmpty() && outstanding.peek().done >= SimulatedLedgers.ACK_QUORUM) {
      Append append = outstanding.poll();
      acknowledged = append.index + 1;
      store.ledgers().acknowledged(ledger, append.index, append.bytes);
      complete(append);
    }
  }

  /**
   * What was not acknowledged never will be; unless it is fenced, the ledger ends before that, if
   * the writer manages to say so.
   */
  private void fail(LogException cause) {
    if (failure == null && !outstanding.isEmpty()) {
      failure = cause;
      if (cause.reason() != Reason.FENCED && store.simulation().oneIn(2)) {
        closeAsync();
      }
      failAll();
    }
  }

  private void failAll() {
    while (!outstanding.isEmpty()) {
      complete(outstanding.poll());
    }
  }

  private void complete(Append append) {
    Violation.unless(
        append.entry.remaining() == append.bytes.length
            && append.entry.duplicate().equals(ByteBuffer.wrap(append.bytes)),
        "the entry at position " + append.context + " was changed while it was under way");
    append.callback.completed(append.context, failure);
  }

  @Override
  public CompletableFuture<Void> closeAsync() {
    if (!outstanding.isEmpty() && failure == null) {
      return CompletableFuture.failedFuture(new IllegalStateException("entries are under way"));
    }
    int count = acknowledged;
    return store.askCatalog(
        () -> {
          store.ledgers().close(ledger, count);
          return null;
        });
  }
}
