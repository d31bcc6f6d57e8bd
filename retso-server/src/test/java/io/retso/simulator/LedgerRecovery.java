package io.retso.simulator;

import io.retso.log.LedgerStore;
import io.retso.log.LogException;
import io.retso.log.LogException.Reason;
import io.retso.simulator.Bookie.Verdict;
import io.retso.simulator.SimulatedLedgers.Stored;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * Opens a ledger with recovery, as BookKeeper's client does: it fences so many bookies that no
 * append can be acknowledged any more, asks them what is confirmed, and reads on from there, entry
 * by entry. What one bookie has it writes to enough of them; the ledger ends where so many have
 * nothing that no client can have been told otherwise. A bookie that says so is fenced by the
 * question.
 */
final class LedgerRecovery {
  private final SimulatedStore store;
  private final Stored ledger;
  private final CompletableFuture<LedgerStore.Entries> opened;
  private final List<Bookie.Entry> found = new ArrayList<>();
  private int first;

  LedgerRecovery(
      SimulatedStore store, Stored ledger, CompletableFuture<LedgerStore.Entries> opened) {
    this.store = store;
    this.ledger = ledger;
    this.opened = opened;
  }

  /** Answers of the ensemble to one question, until enough of them are of one kind. */
  private final class Poll<T> {
    private final int enough;
    private final Consumer<List<T>> then;
    private final List<T> answers = new ArrayList<>();
    private int failures;
    private boolean over;

    Poll(int enough, Consumer<List<T>> then) {
      this.enough = enough;
      this.then = then;
    }

    void ask(BiConsumer<Bookie, Consumer<T>> question) {
      for (int bookie : ledger.ensemble) {
        store.ask(bookie, question, false, this::answered);
      }
    }

    private void answered(T answer) {
      if (over) {
        return;
      }
      if (answer == null) {
        failures++;
      } else {
        answers.add(answer);
      }
      if (isDone(answers, enough)) {
        over = true;
        then.accept(answers);
      } else if (answers.size() + failures == ledger.ensemble.size()) {
        over = true;
        opened.completeExceptionally(
            new LogException(Reason.UNAVAILABLE, "too few bookies answer for " + ledger.id));
      }
    }
  }

  /** One entry that is found is enough; otherwise so many answers. */
  private static <T> boolean isDone(List<T> answers, int enough) {
    return answers.size() >= enough
        || answers.stream().anyMatch(a -> a instanceof Optional<?> entry && entry.isPresent());
  }

  void run() {
    store
        .askCatalog(
            () -> {
              store.ledgers().existing(ledger.id);
              ledger.inRecovery |= ledger.closedAt < 0;
              return ledger.closedAt;
            })
        .whenComplete(
            (closedAt, e) -> {
              if (e != null) {
                opened.completeExceptionally(e);
              } else if (closedAt >= 0) {
                end(closedAt);
              } else {
                fence();
              }
            });
  }

  private void fence() {
    new Poll<Integer>(
            SimulatedLedgers.covering(ledger),
            confirmed -> {
              first = confirmed.stream().mapToInt(Integer::intValue).max().orElseThrow();
              readNext();
            })
        .ask(
            (bookie, answer) ->
                bookie.fence(
                    ledger.id,
                    verdict ->
                        answer.accept(
                            verdict == Verdict.DONE ? bookie.confirmed(ledger.id) : null)));
  }

  private void readNext() {
    int index = first + found.size();
    new Poll<Optional<Bookie.Entry>>(
            SimulatedLedgers.covering(ledger),
            answers ->
                answers.stream()
                    .flatMap(Optional::stream)
                    .findFirst()
                    .ifPresentOrElse(entry -> writeAgain(index, entry), this::close))
        .ask(
            (bookie, answer) ->
                bookie.fence(
                    ledger.id,
                    verdict ->
                        answer.accept(
                            verdict == Verdict.DONE
                                ? Optional.ofNullable(bookie.read(ledger.id, index))
                                : null)));
  }

  private void writeAgain(int index, Bookie.Entry entry) {
    new Poll<Verdict>(
            SimulatedLedgers.ACK_QUORUM,
            written -> {
              found.add(entry);
              readNext();
            })
        .ask(
            (bookie, answer) ->
                bookie.add(
                    ledger.id,
                    index,
                    entry,
                    true,
                    verdict -> answer.accept(verdict == Verdict.DONE ? verdict : null)));
  }

  private void close() {
    store
        .askCatalog(
            () -> {
              store.ledgers().existing(ledger.id);
              return store.ledgers().recovered(ledger, first, found);
            })
        .whenComplete(
            (count, e) -> {
              if (e == null) {
                end(count);
              } else {
                opened.completeExceptionally(e);
              }
            });
  }

  private void end(int count) {
    opened.complete(new LedgerReader(store, ledger, count));
  }
}
