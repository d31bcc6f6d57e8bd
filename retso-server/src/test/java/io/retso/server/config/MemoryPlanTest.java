package io.retso.server.config;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class MemoryPlanTest {
  private static final long MIB = 1L << 20;

  private static MemoryPlan plan(String rows, String window, String uncleaned) throws Exception {
    return MemoryPlan.of(
        ServerConfig.builder()
            .set(Settings.LOG, "memory")
            .set(Settings.ROWS, rows)
            .set(Settings.WINDOW_TIMESTAMPS, window)
            .set(Settings.UNCLEANED_MAX, uncleaned)
            .build());
  }

  @Test
  void theTablesHaveTheSizesThatAreDocumented() throws Exception {
    MemoryPlan plan = plan("32M", "2^23", "1M");
    assertEquals(32_000_000L * 128 / 10, plan.map());
    assertEquals(8 << 23, plan.window());
    assertEquals(2 * 1024 * 1024 * 16, plan.uncleaned());
  }

  @Test
  void uncleanedCommitsTakeThirtyTwoToSixtyFourBytes() throws Exception {
    for (int max : new int[] {1, 2, 3, 1000, 1024, 1025, 1 << 20, (1 << 20) + 1}) {
      double bytes = (double) plan("1", "8", Integer.toString(max)).uncleaned() / max;
      assertTrue(bytes >= 32 && bytes <= 64, max + ": " + bytes);
    }
  }

  @Test
  void aHeapThatIsTooSmallIsRefusedWithBothWaysOut() throws Exception {
    MemoryPlan plan = plan("32M", "2^23", "1M");
    assertDoesNotThrow(() -> plan.check(plan.total()));
    String message = assertThrows(ConfigException.class, () -> plan.check(512 * MIB)).getMessage();
    assertTrue(message.contains("this JVM has 512 MiB"), message);
    assertTrue(message.contains("RETSO_OPTS=-Xmx576m"), message);
    String rows = message.replaceAll(".*rows = (\\d+M).*", "$1");
    assertDoesNotThrow(() -> plan(rows, "2^23", "1M").check(512 * MIB));
  }

  @Test
  void whereNoNumberOfRowsFitsTheOtherTablesAreNamed() throws Exception {
    MemoryPlan plan = plan("32M", "2^28", "1M");
    String message = assertThrows(ConfigException.class, () -> plan.check(512 * MIB)).getMessage();
    assertTrue(message.contains("window.timestamps and uncleaned.max smaller"), message);
  }

  @Test
  void aHeapThatIsFarTooLargeIsToldAboutWithTheOneThatIsNeeded() throws Exception {
    MemoryPlan plan = plan("32M", "2^23", "1M");
    assertEquals(576, plan.recommendedMebibytes());
    assertDoesNotThrow(() -> plan.check(plan.recommendedMebibytes() * MIB));
    assertTrue(plan.excess(1152 * MIB).isEmpty());
    String message = plan.excess(1153 * MIB).orElseThrow();
    assertTrue(message.contains("RETSO_OPTS=-Xmx576m"), message);
  }

  /** Much more than the heap, above all beside a bookie: that is what the machine must have. */
  @Test
  void whatIsOutsideOfTheHeapCounts() throws Exception {
    MemoryPlan plan = plan("32M", "2^23", "1M");
    assertEquals((640 + 32 + 128 + 2 * 5 * 5 / 2.0) * MIB, plan.resident(640 * MIB));
    MemoryPlan embedded = MemoryPlan.of(ServerConfig.builder().build());
    MemoryPlan three =
        MemoryPlan.of(ServerConfig.builder().set(Settings.EMBEDDED_BOOKIES, "3").build());
    assertEquals((32 + 128) * MIB, embedded.outside() - plan.outside());
    assertEquals(2 * 128 * MIB, three.outside() - embedded.outside());
  }
}
