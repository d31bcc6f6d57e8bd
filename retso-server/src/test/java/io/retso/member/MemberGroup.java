package io.retso.member;

import io.retso.log.LogEntry;
import io.retso.simulator.SimulatedLedgers;
import io.retso.simulator.Simulation;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Members on simulated ledgers, in virtual time. Who died stays registered. */
final class MemberGroup {
  private static final long DELAY = 100 * Simulation.MICROS;
  private static final long PATIENCE = 500 * Simulation.MILLIS;

  final Simulation simulation = new Simulation(1);
  final SimulatedLedgers ledgers =
      new SimulatedLedgers(
          simulation,
          new SimulatedLedgers.Behaviour(DELAY, DELAY, DELAY, PATIENCE, 0),
          bytes -> {});
  final Map<String, TestMember> members = new LinkedHashMap<>();

  /** Where clients have to say who they are. */
  boolean isClosed;

  /** In the order of registration. */
  private final Map<String, Roster.Entry> registered = new LinkedHashMap<>();

  TestMember start(String address) {
    TestMember member = new TestMember(this, address);
    members.put(address, member);
    return member;
  }

  /** Somebody who is no member registers. */
  void register(String address) {
    registered.put(address, new Roster.Entry(address, address, true, LogEntry.newestVersion(), 0));
  }

  /** ZooKeeper, which is always there, and prompt. */
  Roster roster() {
    return new Roster() {
      @Override
      public void publish(Entry own) {
        registered.put(own.address(), own);
      }

      @Override
      public List<Entry> members() {
        return List.copyOf(registered.values());
      }

      @Override
      public void close() {}
    };
  }
}
