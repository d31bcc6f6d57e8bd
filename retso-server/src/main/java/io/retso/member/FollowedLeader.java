package io.retso.member;

import io.retso.log.LedgerStore;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * What a member knows of the leader of one epoch, beside what it reads in the log. It is made anew
 * for each epoch, and when the log is read again, so nothing of it counts for another leader.
 */
final class FollowedLeader {
  private static final long NO_LEDGER = -1;

  final long epoch;

  /** Its address; empty if that is not known, or there is no leader. */
  final String address;

  /** For how long it has given no sign of life. */
  final Silence silence = new Silence();

  /** In which it began, or a later one of its ledgers. */
  final long ledger;

  /** The catalog said so since this member began to read the log. */
  final boolean isOfCatalog;

  /** The last position when its ledger was reached; what is behind that it has appended. */
  private long positionBefore = Long.MAX_VALUE;

  /** To whom it has handed over, or is about to, by its own word; empty if it has not. */
  private String successor = "";

  /** It has named this member as its successor, and goes on for a moment. */
  private boolean servesStill;

  /** Completes when it need not be let go on any longer. */
  private final CompletableFuture<Void> ends = new CompletableFuture<>();

  private FollowedLeader(long epoch, String address, long ledger, boolean isOfCatalog) {
    this.epoch = epoch;
    this.address = address;
    this.ledger = ledger;
    this.isOfCatalog = isOfCatalog;
  }

  /** By the catalog. */
  static FollowedLeader of(LedgerStore.Content catalog) {
    List<Long> ledgers = catalog.ledgers();
    long last = ledgers.isEmpty() ? NO_LEDGER : ledgers.get(ledgers.size() - 1);
    return new FollowedLeader(catalog.epoch(), catalog.leader(), last, true);
  }

  /** Until the catalog was read. */
  static FollowedLeader unseen(long epoch, String address) {
    return new FollowedLeader(epoch, address, NO_LEDGER, false);
  }

  /**
   * What is read from now on, behind a position, is in its ledgers, and not in those of one before.
   */
  void reached(long lastPosition) {
    positionBefore = Math.min(positionBefore, lastPosition);
  }

  /** Whether it has appended what is at a position. */
  boolean hasAppended(long position) {
    return position > positionBefore;
  }

  /**
   * It has said that it hands over, or has handed over.
   *
   * @param next to whom
   * @param stillServes whether it goes on until {@code next}, which is this member, has begun
   */
  void names(String next, boolean stillServes) {
    successor = next;
    servesStill = stillServes;
  }

  /** See {@link #names}; empty for none. */
  String successor() {
    return successor;
  }

  /** It is not waited for any longer. */
  void hasEnded() {
    ends.complete(null);
  }

  /** Completes when a successor need not let it go on any longer, as it was named by it. */
  CompletableFuture<Void> end() {
    return servesStill ? ends : CompletableFuture.completedFuture(null);
  }
}
