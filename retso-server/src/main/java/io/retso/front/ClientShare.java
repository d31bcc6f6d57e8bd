package io.retso.front;

import java.util.ArrayDeque;

/**
 * What the connections of one client host may have done in a turn of the loop: a deficit round
 * robin (Shreedhar, Varghese 1995) whose flows are hosts, so that many connections of one host
 * share what another has for its only one.
 *
 * <p>Work is counted in units of about one load from memory: a row, a timestamp, a request. A frame
 * is taken while there is credit; a large one makes a debt, for which its host waits for turns.
 *
 * <p>Of the sequencer's thread.
 */
final class ClientShare {
  private final long quantum;
  private final ArrayDeque<Conversation> waiting = new ArrayDeque<>();
  private long credit;
  private long turn;
  private int conversations;

  /** What its host has taken of what all share, since this server leads. */
  ClientAccount account;

  /** Whether it stands in the queue of those that wait for a turn. */
  boolean queued;

  /**
   * Makes a share.
   *
   * @param quantum units of a turn, above 0
   * @param host the number of its host, above 0
   * @param owner to whom its transactions belong
   */
  ClientShare(long quantum, long turn, int host, long owner) {
    account = new ClientAccount(host, owner);
    this.quantum = quantum;
    this.turn = turn;
    credit = quantum;
  }

  /** What was taken is that of another oracle now. */
  void forgetAccount() {
    account = new ClientAccount(account.host, account.owner);
  }

  /** Units of a turn. */
  long quantum() {
    return quantum;
  }

  /** Counts a conversation more, or with -1 one less; returns how many there are. */
  int count(int change) {
    conversations += change;
    assert conversations >= 0;
    return conversations;
  }

  /** Whether a frame may be taken now, before those that wait. */
  boolean hasCredit(long now) {
    assert turn <= now && credit <= quantum;
    if (turn != now) {
      credit = Math.min(quantum, credit + quantum * (now - turn));
      turn = now;
    }
    return credit > 0;
  }

  /** Whether nothing of this host waits for a turn. */
  boolean isIdle() {
    return waiting.isEmpty();
  }

  void spend(long units) {
    credit -= units;
  }

  void await(Conversation conversation) {
    waiting.add(conversation);
  }

  /** The next that waits, in turn; null if none does. */
  Conversation next() {
    return waiting.poll();
  }

  /** Returns whether it waited. */
  boolean forget(Conversation conversation) {
    return waiting.remove(conversation);
  }
}
