package io.retso.simulator;

import io.retso.log.LedgerStore;
import io.retso.log.LogException;
import io.retso.log.LogException.Reason;
import io.retso.simulator.SimulatedLedgers.Stored;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.Function;

/** A ledger in the hands of a reader. */
final class LedgerReader implements LedgerStore.Entries {
  private static final int AT_ONCE = 8;

  private final SimulatedStore store;
  private final Stored ledger;
  private int count;

  LedgerReader(SimulatedStore store, Stored ledger, int count) {
    this.store = store;
    this.ledger = ledger;
    this.count = count;
  }

  @Override
  public long count() {
    return count;
  }

  @Override
  public CompletableFuture<Boolean> refresh() {
    CompletableFuture<Boolean> refreshed = new CompletableFuture<>();
    refreshNow(refreshed, isClosed -> isClosed);
    return store.call(refreshed);
  }

  /** Asks for the end of a closed ledger, or what entries say that have arrived. */
  <T> void refreshNow(CompletableFuture<T> refreshed, Function<Boolean, T> result) {
    if (store.hearsOfTheEnd(ledger)) {
      count = ledger.closedAt;
      refreshed.complete(result.apply(true));
      return;
    }
    List<Integer> answers = new ArrayList<>();
    int[] asked = {0};
    for (int bookie : ledger.ensemble) {
      store.<Integer>ask(
          bookie,
          (peer, answer) -> answer.accept(peer.confirmed(ledger.id)),
          false,
          confirmed -> {
            asked[0]++;
            if (confirmed != null) {
              answers.add(confirmed);
            }
            if (ledger.deleted) {
              refreshed.completeExceptionally(gone());
            } else if (answers.size() == SimulatedLedgers.covering(ledger)) {
              count = Math.max(count, Collections.max(answers));
              refreshed.complete(result.apply(false));
            } else if (asked[0] == ledger.ensemble.size()) {
              refreshed.completeExceptionally(unreadable());
            }
          });
    }
  }

  private LogException gone() {
    return store.ledgers().gone(ledger.id);
  }

  private LogException unreadable() {
    return new LogException(Reason.UNAVAILABLE, "too few bookies answer for " + ledger.id);
  }

  @Override
  public CompletableFuture<Void> read(
      long from, long to, Executor executor, LedgerStore.EntryVisitor visitor) {
    if (from == to) {
      return CompletableFuture.completedFuture(null);
    }
    List<Integer> left = new ArrayList<>(ledger.ensemble);
    Collections.shuffle(left, store.simulation().random());
    CompletableFuture<List<Bookie.Entry>> arrived = new CompletableFuture<>();
    fetch((int) from, (int) Math.min(to, from + AT_ONCE), left, false, arrived);
    return store
        .call(arrived)
        .thenApplyAsync(entries -> show(entries, visitor), executor)
        .thenCompose(shown -> read(from + shown, to, executor, visitor));
  }

  /** From one bookie after the other; some may lack an entry, or not answer. */
  private void fetch(
      int from,
      int to,
      List<Integer> left,
      boolean someoneIsSilent,
      CompletableFuture<List<Bookie.Entry>> arrived) {
    if (ledger.deleted || left.isEmpty()) {
      Violation.unless(
          ledger.deleted || someoneIsSilent,
          () -> "no bookie has entry " + from + " of ledger " + ledger.id);
      arrived.completeExceptionally(ledger.deleted ? gone() : unreadable());
      return;
    }
    store.<List<Bookie.Entry>>ask(
        left.remove(left.size() - 1),
        (peer, answer) -> answer.accept(stretch(peer, from, to)),
        false,
        entries -> {
          if (entries == null || entries.isEmpty()) {
            fetch(from, to, left, someoneIsSilent || entries == null, arrived);
          } else {
            arrived.complete(entries);
          }
        });
  }

  private List<Bookie.Entry> stretch(Bookie bookie, int from, int to) {
    List<Bookie.Entry> entries = new ArrayList<>();
    Bookie.Entry entry;
    for (int i = from; i < to && (entry = bookie.read(ledger.id, i)) != null; i++) {
      entries.add(entry);
    }
    return entries;
  }

  /** Returns how many there are. */
  private static int show(List<Bookie.Entry> entries, LedgerStore.EntryVisitor visitor) {
    try {
      for (Bookie.Entry entry : entries) {
        visitor.entry(ByteBuffer.wrap(entry.bytes()).asReadOnlyBuffer());
      }
      return entries.size();
    } catch (LogException e) {
      throw new CompletionException(e);
    }
  }

  @Override
  public void close() {}
}
