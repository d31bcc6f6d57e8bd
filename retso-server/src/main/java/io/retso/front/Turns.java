package io.retso.front;

import io.retso.security.Tickets;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Executor;

/**
 * Shares the loop's time between client hosts, and bounds a turn of it: what is left of a host's
 * frames when its {@link ClientShare} is used up waits for the next turn, and the others are read
 * in between.
 *
 * <p>A turn has two parts: what is read, then what had to wait. However many hosts there are, the
 * first takes frames until two quanta are used up (a host that uses up its own leaves one to
 * others), the second until one is, and each exceeds that by one frame at most. A frame of more
 * than a quantum is taken only among those that wait, so there is one in a turn at most.
 *
 * <p>Of the sequencer's thread.
 */
final class Turns {
  /** Hosts that are remembered after their last connection is over. */
  static final int DEPARTED_MAX = 1 << 10;

  private final long quantum;
  private final Executor nextTurn;
  private final Map<Object, ClientShare> shares = new HashMap<>();

  /**
   * Shares of hosts without a connection, as many as may be: what they took is not given back by
   * that.
   */
  private final Map<Object, ClientShare> departed =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Object, ClientShare> eldest) {
          return size() > DEPARTED_MAX;
        }
      };

  /** Hosts of which conversations wait; the others have their turn before one comes again. */
  private final ArrayDeque<ClientShare> waiting = new ArrayDeque<>();

  private final Runnable serve = this::serve;
  private boolean scheduled;
  private long turn;
  private int lastHost;

  /** Units that this part of the turn may still begin to take. */
  private long left;

  /**
   * Makes an empty schedule.
   *
   * @param nextTurn runs a task after everything that is readable has been read once more
   */
  Turns(long quantum, Executor nextTurn) {
    this.quantum = quantum;
    this.nextTurn = nextTurn;
    left = 2 * quantum;
  }

  /**
   * The share of a host, or of a principal, for one conversation more.
   *
   * @param owner to whom its transactions belong: see {@link Tickets}
   */
  ClientShare join(Object host, long owner) {
    ClientShare share = shares.computeIfAbsent(host, key -> returned(key, owner));
    share.count(1);
    return share;
  }

  private ClientShare returned(Object host, long owner) {
    ClientShare before = departed.remove(host);
    return before == null ? new ClientShare(quantum, turn, ++lastHost, owner) : before;
  }

  /** Returns whether the conversation waited for a turn. */
  boolean leave(Object host, ClientShare share, Conversation conversation) {
    boolean waited = share.forget(conversation);
    if (share.count(-1) == 0) {
      shares.remove(host);
      departed.put(host, share);
    }
    return waited;
  }

  /** Nothing counts any more of what hosts took. */
  void forgetAccounts() {
    shares.values().forEach(ClientShare::forgetAccount);
    departed.clear();
  }

  /** Hosts that speak with this server. */
  int hosts() {
    return shares.size();
  }

  /** A part of a turn of the loop is over. */
  void endTurn() {
    turn++;
    left = 2 * quantum;
  }

  /** Whether a frame of a conversation that did not have to wait may be taken. */
  boolean mayTake(ClientShare share, long units) {
    return share.isIdle() && units <= quantum && mayGoOn(share);
  }

  /** Whether a frame of a conversation whose turn it is may be taken. */
  boolean mayGoOn(ClientShare share) {
    return left > 0 && share.hasCredit(turn);
  }

  /** A frame was taken. */
  void spend(ClientShare share, long units) {
    left -= units;
    share.spend(units);
  }

  void await(ClientShare share, Conversation conversation) {
    share.await(conversation);
    enqueue(share);
    schedule();
  }

  private void enqueue(ClientShare share) {
    if (!share.queued) {
      share.queued = true;
      waiting.add(share);
    }
  }

  private void schedule() {
    if (!scheduled) {
      scheduled = true;
      nextTurn.execute(serve);
    }
  }

  /**
   * Gives each host that waits its quantum, and its conversations the word one after the other.
   * Those that the turn is too short for keep their places, and come first in the next.
   */
  private void serve() {
    scheduled = false;
    turn++;
    left = quantum;
    for (int hosts = waiting.size(); hosts > 0 && left > 0; hosts--) {
      ClientShare share = waiting.poll();
      share.queued = false;
      while (mayGoOn(share) && !share.isIdle()) {
        share.next().resume();
      }
      if (!share.isIdle()) {
        enqueue(share);
      }
    }
    if (!waiting.isEmpty()) {
      schedule();
    }
  }
}
