package io.retso.verify.run;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class WaitReporterTest {
  @Test
  void whatIsWaitedForIsToldAgainAndAgain() throws InterruptedException {
    BlockingQueue<String> said = new LinkedBlockingQueue<>();
    BlockingQueue<String> reasons = new LinkedBlockingQueue<>(List.of("a", "b"));
    Round.Listener listener =
        new Round.Listener() {
          @Override
          public boolean goesOn(double seconds, Tally tally, Map<String, Integer> faults) {
            return true;
          }

          @Override
          public void phase(String what) {
            said.add(what.replaceAll("\\d+", "N"));
          }
        };
    WaitReporter reporter =
        new WaitReporter("sweeping", reasons::remove, Duration.ofMillis(1), listener);
    try (reporter) {
      assertEquals("still sweeping after N s: a", said.take());
      assertEquals("still sweeping after N s: b", said.take());
    }
  }
}
