package io.retso.spring.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.core.env.StandardEnvironment;

/** Each property gets where it belongs, and says what it is to editors. */
class PropertiesTest {
  private static RetsoProperties bound(Map<String, String> properties) {
    return new Binder(new MapConfigurationPropertySource(properties))
        .bindOrCreate("retso", RetsoProperties.class);
  }

  /** A value that the builder refuses has got there. */
  @ParameterizedTest
  @CsvSource({
    "retso.oracle, no-port, no-port",
    "retso.client-name, '', name",
    "retso.request-timeout, 2h, 2",
    "retso.connect-timeout, 3h, 3",
    "retso.connections, 65, 65",
    "retso.sweep-interval, 61m, sweepInterval",
    "retso.close-timeout, 62m, closeTimeout"
  })
  void aWrongOneIsRefused(String key, String value, String reason) {
    RetsoProperties properties = bound(Map.of(key, value));
    String message =
        assertThrows(
                IllegalArgumentException.class,
                () ->
                    properties.builder(new Configuration(false), new StandardEnvironment()).build())
            .getMessage();
    assertTrue(message.contains(reason), message);
  }

  @Test
  void noneIsNeeded() {
    assertNotNull(bound(Map.of()).builder(new Configuration(false), new StandardEnvironment()));
  }

  @Test
  void keysOfHBaseAreReplaced() {
    Configuration configuration = new Configuration(false);
    configuration.set("hbase.zookeeper.quorum", "old");
    bound(Map.of("retso.hbase.hbase.zookeeper.quorum", "new"))
        .builder(configuration, new StandardEnvironment());
    assertEquals("new", configuration.get("hbase.zookeeper.quorum"));
  }

  @Test
  void editorsKnowThemAll() throws IOException {
    Set<String> described = new TreeSet<>();
    try (InputStream metadata =
        RetsoProperties.class.getResourceAsStream("/META-INF/spring-configuration-metadata.json")) {
      for (JsonNode property : new ObjectMapper().readTree(metadata).get("properties")) {
        String name = property.get("name").asText();
        if (name.startsWith("retso.") && property.hasNonNull("description")) {
          described.add(name);
        }
      }
    }
    assertEquals(
        RetsoProperties.class.getRecordComponents().length, described.size(), () -> "" + described);
  }
}
