package io.retso.spring;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.spring.boot.RetsoProperties;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** What docs/spring.md shows is what is compiled and run here. */
class SpringDocsTest {
  private static String page() throws IOException {
    return Files.readString(Path.of("..", "..", "docs", "spring.md"));
  }

  @Test
  void itsExampleIsTheOneThatIsTested() throws IOException {
    String source = Files.readString(Path.of("src", "test", "java", "example", "Transfers.java"));
    String shown = source.substring(source.indexOf("import "));
    assertTrue(page().contains("```java\n" + shown + "```"), "put it there as it is");
  }

  @Test
  void itHasAllProperties() throws IOException {
    for (RecordComponent property : RetsoProperties.class.getRecordComponents()) {
      StringBuilder name = new StringBuilder("`retso.");
      property
          .getName()
          .chars()
          .forEach(
              c ->
                  name.append(Character.isUpperCase(c) ? "-" : "")
                      .append((char) Character.toLowerCase(c)));
      assertTrue(page().contains(name), () -> name + "` is missing");
    }
  }
}
