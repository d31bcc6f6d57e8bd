package io.retso.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;

class LiveViewTest {
  private static final int COLUMNS = 80;

  private final StringWriter text = new StringWriter();
  private final Screen screen = new Screen(new PrintWriter(text));

  private static Demo.View view(double seconds, long transfers, long audits, int killed) {
    return new Demo.View(seconds, transfers, 1234, audits, 200_000, killed, 12.3, 45.6);
  }

  private List<String> lines() {
    return text.toString().lines().toList();
  }

  @Test
  void nothingIsToldBeforeThereIsAnything() {
    LiveView live = new LiveView(screen, true, COLUMNS);
    live.see(view(0, 8, 0, 0));
    assertEquals("0 s  8 transfers; 0 audits; 1,234 conflicts", text.toString().strip());
    live.see(view(1, 208, 3, 0));
    assertTrue(
        text.toString().contains("1 s  208 transfers, 200/s, p50 12 ms; 3 audits: 200,000;"),
        text::toString);
  }

  @Test
  void linesOnATerminalFillItAndDoNotWrap() {
    LiveView live = new LiveView(screen, true, COLUMNS);
    live.see(view(0, 8, 0, 0));
    live.see(view(86_399, 123_456_789_012L, 1_234_567, 3));
    live.see(view(86_400, 12_345, 120, 3));
    screen.close();
    for (String line : text.toString().split("[\\r\\n]+")) {
      assertTrue(line.isEmpty() || line.length() == COLUMNS - 1, () -> "[" + line + "]");
    }
  }

  @Test
  void everyKillIsTold() {
    LiveView live = new LiveView(screen, false, COLUMNS);
    live.see(view(0, 8, 1, 1));
    live.see(view(1, 8, 1, 1));
    live.see(view(2, 8, 1, 3));
    assertEquals(
        List.of(
            "   0 s  kill -9: a process of tellers dies in mid-work (1 so far)",
            "   2 s  kill -9: 2 processes of tellers die in mid-work (3 so far)"),
        lines());
  }

  @Test
  void elsewhereALineIsWrittenNowAndThen() {
    LiveView live = new LiveView(screen, false, COLUMNS);
    for (int second = 0; second <= 10; second++) {
      live.see(view(second, 100L * second, second, 0));
    }
    assertEquals(2, lines().size(), text::toString);
    assertFalse(text.toString().contains("\r"));
  }

  @Test
  void nothingFollowsTheLastWord() {
    screen.live("live");
    screen.close();
    screen.line("too late");
    screen.live("too late");
    screen.last("bye");
    assertEquals(List.of("", "live", "bye"), lines(), "the live line is not overwritten");
  }
}
