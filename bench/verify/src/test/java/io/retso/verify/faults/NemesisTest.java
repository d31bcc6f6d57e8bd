package io.retso.verify.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.verify.clients.StopSignal;
import io.retso.verify.history.HistoryRecorder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class NemesisTest {
  @Test
  void faultsThatAreAlwaysRefusedAreToldApartFromThoseThatHappen(@TempDir Path directory)
      throws Exception {
    CountDownLatch tried = new CountDownLatch(2);
    List<Fault> faults =
        List.of(
            new Fault("flush", random -> "flushed"),
            new Fault(
                "split",
                random -> {
                  tried.countDown();
                  if (tried.getCount() == 1) {
                    return "split";
                  }
                  throw new IOException("too small");
                }),
            new Fault(
                "move",
                random -> {
                  throw new IOException("region in transition", new IOException("no right\nto it"));
                }));
    Path notes = directory.resolve("nemesis.edn");
    StopSignal stop = new StopSignal();
    Nemesis nemesis;
    try (HistoryRecorder recorder = HistoryRecorder.create(notes, System.nanoTime())) {
      nemesis = new Nemesis(faults, new FaultOrder(1), recorder, 1, stop);
      Thread thread = new Thread(nemesis, "nemesis");
      thread.start();
      tried.await(); // each fault has had its turn before one has its second
      stop.set();
      thread.join();
    }
    assertEquals(Map.of("move", "no right"), nemesis.neverHappened());
    assertEquals(1, nemesis.done().get("split"), "the others were refused");
    assertTrue(nemesis.done().containsKey("flush"));
    assertTrue(Files.readString(notes).contains("failed: java.io.IOException: too small"));
  }

  @Test
  void faultsWhoseTurnDidNotComeAreToldToo(@TempDir Path directory) throws IOException {
    StopSignal stop = new StopSignal();
    stop.set();
    try (HistoryRecorder recorder = HistoryRecorder.create(directory.resolve("nemesis.edn"))) {
      Nemesis nemesis =
          new Nemesis(
              List.of(new Fault("flush", random -> "flushed")),
              new FaultOrder(1),
              recorder,
              1,
              stop);
      nemesis.run();
      assertEquals(
          Map.of("flush", "its turn did not come: the time was up"), nemesis.neverHappened());
    }
  }
}
