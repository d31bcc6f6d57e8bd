package io.retso.hbase.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.opentelemetry.api.common.AttributeKey;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** docs/traces.md names each span, event and attribute, and no others. */
class TracesPageTest {
  private static final Pattern NAME =
      Pattern.compile("`((?:retso\\.[a-z_.]+|server\\.\\w+|error\\.\\w+))`");

  @Test
  void eachNameIsOnThePage() throws Exception {
    Set<String> names = new TreeSet<>();
    for (Field field : Names.class.getDeclaredFields()) {
      if (!field.isSynthetic()) {
        Object value = field.get(null);
        names.add(value instanceof AttributeKey<?> key ? key.getKey() : (String) value);
      }
    }
    assertTrue(names.size() > 20, names::toString);
    Set<String> documented =
        NAME.matcher(Files.readString(Path.of("..", "docs", "traces.md")))
            .results()
            .map(found -> found.group(1))
            .collect(Collectors.toCollection(TreeSet::new));
    assertEquals(names, documented);
  }
}
