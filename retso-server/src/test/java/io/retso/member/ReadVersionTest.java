package io.retso.member;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.retso.log.LogEntry;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReadVersionTest {
  private static final int NEWEST = LogEntry.newestVersion();
  private static final int BEFORE = NEWEST / 2;
  private static final Roster.Entry OLD = member(BEFORE);
  private static final Roster.Entry NEW = member(NEWEST);

  private final ReadVersion version = new ReadVersion();

  private static Roster.Entry member(int logVersion) {
    return new Roster.Entry("a:1", "a:2", true, logVersion, 0);
  }

  @Test
  void itIsThatOfTheOldestMemberAndRisesWhenThatIsGoneForLongEnough() {
    assertEquals(NEWEST, version.newest());
    version.see(List.of(NEW, OLD), 0);
    assertEquals(BEFORE, version.newest());
    version.see(List.of(OLD), 10);
    version.see(List.of(NEW), 9 + ReadVersion.MEMORY_NANOS);
    assertEquals(BEFORE, version.newest());
    version.see(List.of(), 10 + ReadVersion.MEMORY_NANOS);
    assertEquals(NEWEST, version.newest());
  }

  /** What it reads beyond this build's newest does not matter to this build. */
  @Test
  void aLaterMemberChangesNothing() {
    version.see(List.of(member(2 * NEWEST)), 0);
    assertEquals(NEWEST, version.newest());
  }
}
