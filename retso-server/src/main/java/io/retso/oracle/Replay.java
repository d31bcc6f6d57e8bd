package io.retso.oracle;

import io.retso.oracle.rows.CommittedMap;
import io.retso.protocol.Timestamps;

/**
 * Recovery of a {@link StatusOracle}: the log's records are applied in their order, without judging
 * them again. {@link #end} comes last, before the first request.
 */
public final class Replay {
  private final CommittedMap map;
  private final TransactionWindow window;
  private final UncleanedCommits uncleaned;
  private final Watermark watermark;
  private final Certifier certifier;
  private final Holds holds;

  Replay(
      CommittedMap map,
      TransactionWindow window,
      UncleanedCommits uncleaned,
      Watermark watermark,
      Certifier certifier,
      Holds holds) {
    this.certifier = certifier;
    this.holds = holds;
    this.watermark = watermark;
    this.map = map;
    this.window = window;
    this.uncleaned = uncleaned;
  }

  /** Empties the oracle, whatever it knew, for a replay from the beginning. Counters go on. */
  public void restart() {
    uncleaned.clear();
    holds.clear();
    watermark.restart();
    start(Timestamps.GAP);
  }

  /**
   * Goes on with the oracle of a leader whose log has everything that it changed: leaves what a
   * replay of that log would have found, so that what comes next is applied to the same state.
   *
   * <p>What the log does not tell is known of three things. Which timestamps are open transactions,
   * and which belong to no transaction: a replay takes all for open that were issued, so this does,
   * too. Where serializable transactions have their places, and what they have read: {@link #end}
   * forgets that, on the safe side, whatever has known it. Everything else in the oracle is changed
   * together with the log, or follows from what is, as the end of the window follows from the next
   * timestamp. (It may remember more commits than a replay reads back: older ones.)
   */
  public void goOn() {
    watermark.goOn();
  }

  /**
   * Starts an empty oracle in the middle of a log, at {@code timestamp}: all commits above it will
   * be replayed, and transactions that started below it are too old to be judged.
   */
  public void start(long timestamp) {
    long sequence = timestamp >>> Timestamps.GAP_BITS;
    window.startAt(sequence);
    map.clear((int) sequence);
  }

  /**
   * Sets time to {@code timestamp}, the next one to be issued. Timestamps in between count as
   * issued and open: clients may hold them.
   */
  public void time(long timestamp) {
    long target = timestamp >>> Timestamps.GAP_BITS;
    if (target > window.next()) {
      window.skipTo(target);
      map.advance((int) target);
    }
  }

  /** Transactions that started below {@code timestamp} left the window of an earlier writer. */
  public void windowLow(long timestamp) {
    window.raiseLow(timestamp >> Timestamps.GAP_BITS);
  }

  /**
   * Applies logged commits, in the order of their timestamps; {@link CommitBatch#addLogged} filled
   * the batch. Like requests they come in batches so that the loads of their rows overlap.
   */
  public void committed(CommitBatch batch) {
    if (!batch.isLarge()) { // otherwise putInto() locates them
      map.locate(batch.rows, 0, batch.rowCount(), batch.lines);
    }
    for (int i = 0; i < batch.size; i++) {
      committed(batch, batch.starts[i], batch.outcomes[i], batch.from(i), batch.end(i));
    }
  }

  private void committed(CommitBatch batch, long start, long commit, int from, int to) {
    time(commit);
    long sequence = start >>> Timestamps.GAP_BITS;
    long commitSequence = commit >>> Timestamps.GAP_BITS;
    if (window.next() != commitSequence || sequence >= commitSequence) {
      throw new IllegalStateException(
          "the log holds commit "
              + commit
              + " behind timestamp "
              + (window.next() << Timestamps.GAP_BITS));
    }
    batch.putInto(map, from, to, (int) commitSequence);
    window.remember(sequence, commitSequence, from == to);
    window.issue(TransactionWindow.NO_TRANSACTION);
  }

  /** Applies an uncleaned commit of a snapshot: its status, not its rows. */
  public void uncleaned(long start, long commit) {
    window.remember(start >>> Timestamps.GAP_BITS, commit >>> Timestamps.GAP_BITS, false);
  }

  /** Applies a logged abort. */
  public void aborted(long start) {
    long sequence = start >>> Timestamps.GAP_BITS;
    time(start + Timestamps.GAP);
    if (window.contains(sequence)) {
      window.setState(sequence, TransactionWindow.HALF_ABORTED);
    }
  }

  /** Applies a logged cleanup. */
  public void cleaned(long start) {
    long sequence = start >>> Timestamps.GAP_BITS;
    if (!window.contains(sequence)) {
      uncleaned.remove(sequence);
      return;
    }
    int state = window.state(sequence);
    // A sweep may be further here than it was with the writer when that took the report.
    boolean committed =
        state == TransactionWindow.COMMITTED || state == TransactionWindow.COMMITTED_CLEAN;
    window.setState(
        sequence, committed ? TransactionWindow.COMMITTED_CLEAN : TransactionWindow.ABORTED_CLEAN);
  }

  /** Applies a logged sweep. */
  public void swept(long below) {
    long sequence = below >>> Timestamps.GAP_BITS;
    window.sweep(sequence);
    uncleaned.sweep(sequence);
  }

  /**
   * Goes on with what sweeps left to do, as the oracle that logged them does between requests:
   * {@code stepsMax} places of the window and as many of the table. A standby calls it now and
   * then, so that {@link #end} finds little, while all clients wait.
   */
  public void sweepOn(int stepsMax) {
    window.sweepOn(stepsMax);
    uncleaned.tidy(stepsMax);
  }

  /** Applies a logged expiry. */
  public void expired(long below) {
    // Perhaps none of the timestamps below it is in the log yet, but all of them were issued.
    time(below);
    windowLow(below);
  }

  /** Applies a low watermark that was answered: a successor's must not be lower. */
  public void watermark(long below) {
    time(below);
    window.finishBelow(below >>> Timestamps.GAP_BITS);
  }

  /**
   * Applies a snapshot that was held, or a line of a segment's list that says so once more. Its
   * timestamp was issued, whatever else is logged of that time.
   */
  public void held(Hold hold) {
    time(hold.timestamp() + Timestamps.GAP);
    holds.add(hold);
  }

  /** Applies the end of a held snapshot. */
  public void released(long timestamp) {
    holds.remove(timestamp);
  }

  /**
   * Ends the replay: takes in what is left to do of sweeps, with one pass.
   *
   * <p>Of serializable transactions the log says nothing but what they wrote. All that readers were
   * answered at lies below the time that is reached now, and each transaction that may have read or
   * been placed began below it, so to those the oracle is as if everything had been read at this
   * time, and granules changed.
   */
  public void end() {
    certifier.clear(window.next());
    window.sweepOn(Integer.MAX_VALUE);
    while (!uncleaned.tidy(Integer.MAX_VALUE)) {
      // A pass that began before the last change is not the last one.
    }
  }
}
