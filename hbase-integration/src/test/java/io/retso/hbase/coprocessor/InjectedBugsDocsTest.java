package io.retso.hbase.coprocessor;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The bugs that docs/injected-bugs.md names for each rule of decisions 24 and 25 exist. */
class InjectedBugsDocsTest {
  private static final Map<String, Class<? extends Enum<?>>> BUGS =
      Map.of(
          "M", InjectedMarkBugsTest.Bug.class,
          "A", InjectedAdoptionBugsTest.Bug.class,
          "R", InjectedMoveBugsTest.Bug.class,
          "B", InjectedRegionBugsTest.Bug.class);

  private static final Pattern ROW = Pattern.compile("(?m)\\| ([MARB]) (`[A-Z`_, ]+) \\|$");
  private static final Pattern NAME = Pattern.compile("[A-Z_]+");

  @Test
  void theyExist() throws IOException {
    String docs = Files.readString(Path.of("../docs/injected-bugs.md"));
    int found = 0;
    for (MatchResult row : ROW.matcher(docs).results().toList()) {
      Class<? extends Enum<?>> bugs = BUGS.get(row.group(1));
      for (MatchResult name : NAME.matcher(row.group(2)).results().toList()) {
        assertDoesNotThrow(() -> bugs.getDeclaredField(name.group()), row.group());
        found++;
      }
    }
    assertTrue(found > 20, "where are they?");
  }
}
