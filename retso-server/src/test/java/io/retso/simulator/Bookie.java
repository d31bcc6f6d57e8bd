package io.retso.simulator;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * One bookie: the entries and fences that it has, and those that it would not have after a crash,
 * as its journal has not got to them. It answers an append or a fence once the journal has.
 */
final class Bookie {
  /** What a bookie makes of an append. */
  enum Verdict {
    DONE,
    FENCED,
    FAILED
  }

  /**
   * An entry.
   *
   * @param confirmed how many entries its writer knew to be durable when it sent it
   */
  record Entry(byte[] bytes, int confirmed) {}

  /** What it has of one ledger. */
  private static final class Copy {
    final TreeMap<Integer, Entry> entries = new TreeMap<>();
    boolean fenced;

    /** ... and no crash takes that back. */
    boolean fenceSynced;
  }

  private final Simulation simulation;
  private final long journalDelay;
  private final Map<Long, Copy> copies = new HashMap<>();

  /** Undo what the journal has not got to, newest last. */
  private final TreeMap<Long, Runnable> unsynced = new TreeMap<>();

  private long lastSync;
  private long syncs;
  private int crashes;
  private boolean up = true;
  private long slowUntil;
  private long failsUntil;

  Bookie(Simulation simulation, long journalDelay) {
    this.simulation = simulation;
    this.journalDelay = journalDelay;
  }

  boolean isUp() {
    return up;
  }

  /** Loses what is not in its journal, and hears nothing until it is started again. */
  void crash(long duration) {
    if (up) {
      up = false;
      crashes++;
      unsynced.descendingMap().values().forEach(Runnable::run);
      unsynced.clear();
      simulation.after(duration, () -> up = true);
    }
  }

  /** Its disk is slow for a while. */
  void slow(long duration) {
    slowUntil = simulation.now() + duration;
  }

  /** Its disk refuses writes for a while; fences are written, too. */
  void failWrites(long duration) {
    failsUntil = simulation.now() + duration;
  }

  private boolean fails() {
    return failsUntil > simulation.now();
  }

  /**
   * An entry arrives.
   *
   * @param ofRecovery whether it comes from one that opens the ledger with recovery: the fence is
   *     not for it
   */
  void add(long ledger, int index, Entry entry, boolean ofRecovery, Consumer<Verdict> answer) {
    Copy copy = copies.computeIfAbsent(ledger, id -> new Copy());
    if (copy.fenced && !ofRecovery) {
      answer.accept(Verdict.FENCED);
    } else if (fails()) {
      answer.accept(Verdict.FAILED);
    } else {
      boolean isNew = copy.entries.putIfAbsent(index, entry) == null;
      sync(
          () -> {
            if (isNew) {
              copy.entries.remove(index);
            }
          },
          () -> answer.accept(Verdict.DONE));
    }
  }

  /** Refuses the ledger's writer from now on. */
  void fence(long ledger, Consumer<Verdict> answer) {
    Copy copy = copies.computeIfAbsent(ledger, id -> new Copy());
    if (copy.fenceSynced || fails()) {
      answer.accept(copy.fenceSynced ? Verdict.DONE : Verdict.FAILED);
      return;
    }
    boolean isNew = !copy.fenced;
    copy.fenced = true;
    sync(
        () -> {
          if (isNew) {
            copy.fenced = false;
          }
        },
        () -> {
          copy.fenceSynced = true;
          answer.accept(Verdict.DONE);
        });
  }

  /** The journal is written in order. */
  private void sync(Runnable undo, Runnable synced) {
    if (journalDelay == 0) {
      synced.run();
      return;
    }
    long slowness = slowUntil > simulation.now() ? 20 : 1;
    lastSync = Math.max(lastSync, simulation.now() + simulation.delay(slowness * journalDelay));
    long number = syncs++;
    int life = crashes;
    unsynced.put(number, undo);
    simulation.at(
        lastSync,
        () -> {
          if (life == crashes) {
            unsynced.remove(number);
            synced.run();
          }
        });
  }

  /** Null if it has not got it. */
  Entry read(long ledger, int index) {
    Copy copy = copies.get(ledger);
    return copy == null ? null : copy.entries.get(index);
  }

  /** How many entries of a ledger are confirmed by the last one that it has. */
  int confirmed(long ledger) {
    Copy copy = copies.get(ledger);
    return copy == null || copy.entries.isEmpty()
        ? 0
        : copy.entries.lastEntry().getValue().confirmed();
  }

  /** The ledger was deleted: it forgets the fence, too. */
  void forget(long ledger) {
    copies.remove(ledger);
  }
}
