package io.retso.member;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.simulator.Simulation;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Whom members name to clients, where somebody registers who is none; in virtual time. */
class NamedMembersTest {
  private static final Set<String> ALL = Set.of("first:1", "second:1", "third:1");

  private MemberGroup group;
  private TestMember first;
  private TestMember second;
  private TestMember third;

  @BeforeEach
  void startThree() {
    start(true);
  }

  private void start(boolean isClosed) {
    group = new MemberGroup();
    group.isClosed = isClosed;
    first = group.start("first:1");
    pass(200);
    second = group.start("second:1");
    group.register("forged:1");
    third = group.start("third:1");
    pass(1_500);
    assertTrue(first.leads());
  }

  private void pass(long millis) {
    group.simulation.pass(millis * Simulation.MILLIS);
  }

  private static Set<String> named(TestMember by) {
    return Set.copyOf(by.told.members());
  }

  @Test
  void whatIsOnlyRegisteredIsNamedByNobody() {
    for (TestMember member : new TestMember[] {first, second, third}) {
      assertEquals(ALL, named(member));
    }
  }

  /** Clients stay connected to those that they know. */
  @Test
  void aSuccessorNamesWhomItsLeaderNamed() {
    first.die();
    long patience = group.simulation.now() + 60_000 * Simulation.MILLIS;
    assertTrue(group.simulation.run(second::leads, patience), "never leads");
    assertEquals(ALL, named(second));
    pass(2 * ProvedMembers.MEMORY_NANOS / Simulation.MILLIS);
    assertEquals(Set.of("second:1", "third:1"), named(second), "the first one is gone");
    assertEquals(Set.of("second:1", "third:1"), named(third));
  }

  @Test
  void whereNothingIsProvedAllAreNamed() {
    start(false);
    assertTrue(named(first).contains("forged:1"));
  }
}
