package io.retso.member;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Who is named to clients, of those that are registered. */
class ProvedMembersTest {
  private static final Roster.Entry A = new Roster.Entry("a:1", "a:2", true, 16, 0);
  private static final Roster.Entry B = new Roster.Entry("b:1", "b:2", true, 16, 0);

  private final ProvedMembers proved = new ProvedMembers();

  private List<Roster.Entry> named(List<Roster.Entry> registered, Set<String> proving, long now) {
    return proved.among(registered, proving::contains, now);
  }

  @Test
  void aRegistrationProvesNothing() {
    assertEquals(List.of(), named(List.of(A, B), Set.of(), 0));
    assertEquals(List.of(B), named(List.of(A, B), Set.of("b:1", "c:1"), 1));
  }

  @Test
  void itIsRememberedForAWhile() {
    assertEquals(List.of(A), named(List.of(A), Set.of("a:1"), 7));
    long last = 7 + ProvedMembers.MEMORY_NANOS - 1;
    assertEquals(List.of(A), named(List.of(A, B), Set.of(), last));
    assertEquals(List.of(), named(List.of(A, B), Set.of(), last + 1));
  }

  /** Another one may register the address of a member that is gone. */
  @Test
  void whatIsRegisteredAnewProvesItAnew() {
    assertEquals(List.of(A), named(List.of(A), Set.of("a:1"), 0));
    assertEquals(List.of(), named(List.of(B), Set.of(), 1));
    assertEquals(List.of(), named(List.of(A, B), Set.of(), 2));
  }
}
