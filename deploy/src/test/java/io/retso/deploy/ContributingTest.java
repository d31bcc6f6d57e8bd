package io.retso.deploy;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What CONTRIBUTING.md names is there. */
class ContributingTest {
  /** What one works on, the module, and the tests. */
  private static final Pattern ROOM =
      Pattern.compile("(?m)^\\| [^|]+ \\| `([a-z][\\w/-]*)`[^|]* \\| `([^`]+)` \\|");

  @Test
  void eachRoomHasTheTestsThatAreNamed() throws IOException {
    Path sources = Path.of("..");
    List<MatchResult> rooms =
        ROOM.matcher(Files.readString(sources.resolve("CONTRIBUTING.md"))).results().toList();
    assertTrue(rooms.size() > 15, "only " + rooms.size());
    for (MatchResult room : rooms) {
      Path tests = sources.resolve(room.group(1)).resolve("src/test/java");
      for (String name : room.group(2).split(",")) {
        PathMatcher matcher =
            FileSystems.getDefault().getPathMatcher("glob:**/" + name.replace('.', '/') + ".java");
        try (Stream<Path> files = Files.walk(tests)) {
          assertTrue(files.anyMatch(matcher::matches), () -> "no " + name + " in " + tests);
        }
      }
    }
  }
}
