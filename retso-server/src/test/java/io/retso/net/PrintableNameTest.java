package io.retso.net;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PrintableNameTest {
  @ParameterizedTest
  @ValueSource(strings = {"", "orders-7", "b\u00fccher \u66f8 \ud83d\ude00"})
  void aNameStaysAsItIs(String name) {
    assertEquals(name, PrintableName.of(name));
  }

  @Test
  void nothingInANameBeginsALineOrTurnsOne() {
    assertEquals(
        "a?12:00 ERROR?b?c?d?e", PrintableName.of("a\n12:00 ERROR\rb\u001bc\u2028d\u202ee"));
  }

  @Test
  void aLongNameIsCut() {
    assertEquals("x".repeat(64), PrintableName.of("x".repeat(64)));
    assertEquals("x".repeat(64) + "...", PrintableName.of("x".repeat(65)));
  }
}
