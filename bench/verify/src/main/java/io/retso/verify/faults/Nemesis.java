package io.retso.verify.faults;

import io.retso.admin.RootCause;
import io.retso.verify.clients.StopSignal;
import io.retso.verify.history.HistoryRecorder;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/**
 * Lets faults happen, one at a time, at random moments and in the random order of a {@link
 * FaultOrder}. They are noted in the history.
 */
public final class Nemesis implements Runnable {
  private static final int PAUSE_MILLIS_MIN = 50;
  private static final int PAUSE_MILLIS_MAX = 550;

  /** Why a fault never happened that was not even tried. */
  static final String NO_TURN = "its turn did not come: the time was up";

  private final List<Fault> faults;
  private final FaultOrder faultOrder;
  private final HistoryRecorder recorder;
  private final Random random;
  private final StopSignal stop;

  /** Name to how often it happened; guarded by this. */
  private final Map<String, Integer> done = new TreeMap<>();

  /** Name to why it could not happen the last time it was tried; guarded by this. */
  private final Map<String, String> refused = new TreeMap<>();

  public Nemesis(
      List<Fault> faults,
      FaultOrder faultOrder,
      HistoryRecorder recorder,
      long seed,
      StopSignal stop) {
    this.faults = List.copyOf(faults);
    this.faultOrder = faultOrder;
    this.recorder = recorder;
    this.random = new Random(seed);
    this.stop = stop;
  }

  @Override
  public void run() {
    while (!faults.isEmpty()
        && !stop.await(PAUSE_MILLIS_MIN + random.nextInt(PAUSE_MILLIS_MAX - PAUSE_MILLIS_MIN))) {
      strike(faultOrder.next(faults));
    }
  }

  private void strike(Fault fault) {
    recorder.nemesis(fault.name(), "begins");
    recorder.flush();
    try {
      recorder.nemesis(fault.name(), fault.strike().now(random));
      happened(fault);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      stop.set();
    } catch (
        Exception e) { // admin operations are refused in many ways, such as a region in transition
      recorder.nemesis(fault.name(), "failed: " + e);
      faultOrder.refused(fault);
      refused(fault, e);
    }
  }

  private synchronized void happened(Fault fault) {
    done.merge(fault.name(), 1, Integer::sum);
  }

  private synchronized void refused(Fault fault, Exception cause) {
    refused.put(fault.name(), RootCause.of(cause));
  }

  /** How often each fault happened. */
  public synchronized Map<String, Integer> done() {
    return Map.copyOf(done);
  }

  /** Faults that never happened, with the reason. */
  public synchronized Map<String, String> neverHappened() {
    Map<String, String> never = new TreeMap<>();
    for (Fault fault : faults) {
      if (!done.containsKey(fault.name())) {
        never.put(fault.name(), refused.getOrDefault(fault.name(), NO_TURN));
      }
    }
    return never;
  }
}
