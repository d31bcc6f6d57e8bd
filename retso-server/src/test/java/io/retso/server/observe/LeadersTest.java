package io.retso.server.observe;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.retso.member.Member;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LeadersTest {
  private final Leaders leaders = new Leaders();

  private void look(long epoch, String leader) {
    Member.View view =
        new Member.View(Member.State.STANDBY, epoch, leader, true, true, 0, 0, 0, List.of(), null);
    leaders.look(view, epoch * 1_000);
  }

  @Test
  void eachIsSeenOnceAndNoneThatIsNotKnown() {
    look(0, "");
    look(1, "a:1");
    look(1, "a:1");
    look(2, "");
    look(2, "b:1");
    assertEquals(
        Map.of(
            "1", Map.of("leader", "a:1", "seen", "1970-01-01T00:00:01Z"),
            "2", Map.of("leader", "b:1", "seen", "1970-01-01T00:00:02Z")),
        leaders.map());
  }

  @Test
  void theLastOnesAreKept() {
    for (int i = 1; i <= 3 * Leaders.KEPT; i++) {
      look(i, "a:" + i);
    }
    assertEquals(Leaders.KEPT, leaders.map().size());
    assertEquals("21", leaders.map().keySet().iterator().next());
  }
}
