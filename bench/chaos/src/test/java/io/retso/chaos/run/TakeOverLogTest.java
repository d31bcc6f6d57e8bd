package io.retso.chaos.run;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TakeOverLogTest {
  private static final long BEGAN =
      LocalDateTime.of(2026, 1, 2, 3, 4, 5)
          .atZone(ZoneId.systemDefault())
          .toInstant()
          .toEpochMilli();

  private static final String DAY = "2026-01-02 03:04:";

  @TempDir Path directory;

  private static void add(Path file, String time, String words) throws Exception {
    Files.writeString(
        file,
        DAY + time + " " + words + "\n",
        StandardOpenOption.CREATE,
        StandardOpenOption.APPEND);
  }

  @Test
  void whatWasNotReadBeforeAndIsNotOlderThanTheFaultCounts() throws Exception {
    Path one = directory.resolve("one");
    Path two = directory.resolve("two");
    TakeOverLog log = new TakeOverLog(List.of(one, two, directory.resolve("missing")));
    add(one, "04.900", "INFO  Member - leads in epoch 1");
    add(one, "05.700", "INFO  Member - takes over from epoch 2");
    add(two, "05.120", "INFO  Member - takes over from epoch 1");
    add(two, "05.123", "INFO  Follower - follows epoch 1, led by none");
    add(two, "05.300", "INFO  Member - leads in epoch 2");
    add(
        two,
        "05.480",
        "INFO  Member - took over from epoch 1; ms since it began to: entered 12, leader ended 13,"
            + " decisions leave 200");
    add(one, "05.990", "INFO  Member - took over from epoch 2; ms since it began to: entered 99");
    Map<String, Double> steps =
        Map.of("entered", 12., "leader ended", 13., "decisions leave", 200.);
    assertEquals(new TakeOvers(120, 300, 2, 1, steps), log.next(BEGAN));
    assertEquals(TakeOvers.NONE, log.next(BEGAN));
    Files.delete(two);
    add(two, "06.000", "INFO  Member - leads in epoch 3");
    assertEquals(
        new TakeOvers(-1, 1000, 0, 1, Map.of()), log.next(BEGAN), "the file was begun anew");
  }
}
