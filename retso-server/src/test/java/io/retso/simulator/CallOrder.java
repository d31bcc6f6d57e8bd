package io.retso.simulator;

import java.util.Map;
import java.util.TreeMap;

/** Counts in which order calls of different processes to the ledgers are answered. */
final class CallOrder {
  private final TreeMap<Long, SimulatedLedgers.Process> underWay = new TreeMap<>();
  private long begun;
  private long earlierFirst;
  private long laterFirst;

  /** Returns the number of a call that begins. */
  long began(SimulatedLedgers.Process process) {
    underWay.put(++begun, process);
    return begun;
  }

  void answered(long call) {
    SimulatedLedgers.Process process = underWay.remove(call);
    underWay.values().removeIf(other -> !other.isAlive());
    earlierFirst += hasOther(underWay.tailMap(call), process) ? 1 : 0;
    laterFirst += hasOther(underWay.headMap(call), process) ? 1 : 0;
  }

  private static boolean hasOther(
      Map<Long, SimulatedLedgers.Process> calls, SimulatedLedgers.Process process) {
    return calls.values().stream().anyMatch(other -> other != process);
  }

  /** Answers while a call of another process that began later was still under way. */
  long earlierFirst() {
    return earlierFirst;
  }

  /** Answers while a call of another process that began earlier was still under way. */
  long laterFirst() {
    return laterFirst;
  }
}
