package io.retso.server.observe;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class JsonTest {
  @Test
  void mapsNestAndKeepTheirOrder() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("b", 1L);
    map.put("a", Map.of("x", true));
    map.put("none", null);
    assertEquals(
        "{\n  \"b\": 1,\n  \"a\": {\n    \"x\": true\n  },\n  \"none\": null\n}\n", Json.of(map));
    assertEquals("{}\n", Json.of(Map.of()));
  }

  @Test
  void textsAreEscaped() {
    assertEquals("\"a\\\"b\\\\c\\nd\\u0001\"\n", Json.of("a\"b\\c\nd\u0001"));
  }

  @Test
  void numbersAreRoundedAndAlwaysFinite() {
    assertEquals("0.123\n", Json.of(0.1234));
    assertEquals("null\n", Json.of(Double.NaN));
  }
}
