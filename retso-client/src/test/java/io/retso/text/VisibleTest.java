package io.retso.text;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class VisibleTest {
  @Test
  void whatNobodySeesIsShown() {
    assertEquals("listen.port = 7521", Visible.of("listen.port = 7521"));
    assertEquals("\\ufefflisten.port", Visible.of("\ufefflisten.port"));
    assertEquals("a\\u00a0b\\u200b\\u0009", Visible.of("a\u00a0b\u200b\t"));
    assertEquals("a\\u000a12:00\\u202eb", Visible.of("a\n12:00\u202eb"));
    assertEquals("größe \\u{e0001}", Visible.of("größe " + Character.toString(0xe0001)));
  }
}
