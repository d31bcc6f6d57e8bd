package io.retso.hbase.coprocessor.oracle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class InitialHorizonTest {
  private static final Supplier<CompletableFuture<Long>> NEVER =
      () -> {
        throw new AssertionError("it is not asked");
      };

  private final InitialHorizon watermark = new InitialHorizon();
  private final CompletableFuture<Long> first = new CompletableFuture<>();
  private final CompletableFuture<Long> second = new CompletableFuture<>();

  private static void isDown() throws IOException {
    throw new IOException("a test wants it");
  }

  private static void isUp() {}

  @Test
  void whileTheOracleAnswersAllWaitForOneQuestion() throws Exception {
    watermark.ask(() -> first);
    CompletableFuture<Long> one = watermark.answer(NEVER, InitialHorizonTest::isUp);
    CompletableFuture<Long> two = watermark.answer(NEVER, InitialHorizonTest::isUp);
    first.complete(16L);
    assertEquals(16, one.join());
    assertEquals(16, two.join());
    assertEquals(16, watermark.answer(NEVER, InitialHorizonTest::isDown).join());
  }

  @Test
  void whileItDoesNotOnlyTheOneWhoAsksWaits() throws Exception {
    watermark.ask(() -> first);
    first.completeExceptionally(new IOException("no answer"));
    CompletableFuture<Long> asked = watermark.answer(() -> second, InitialHorizonTest::isDown);
    for (int i = 0; i < 3; i++) {
      assertThrows(IOException.class, () -> watermark.answer(NEVER, InitialHorizonTest::isDown));
    }
    second.complete(32L);
    assertEquals(32, asked.join());
    assertEquals(32, watermark.answer(NEVER, InitialHorizonTest::isDown).join());
  }

  /** Whoever comes while another is about to ask finds the question. */
  @Test
  void oneIsUnderWayAtATime() throws Exception {
    watermark.ask(() -> first);
    first.completeExceptionally(new IOException("no answer"));
    List<CompletableFuture<Long>> meanwhile = new ArrayList<>();
    CompletableFuture<Long> asked =
        watermark.answer(
            () -> {
              assertThrows(
                  IOException.class, () -> watermark.answer(NEVER, InitialHorizonTest::isDown));
              try {
                meanwhile.add(watermark.answer(NEVER, InitialHorizonTest::isUp));
              } catch (IOException e) {
                throw new AssertionError(e);
              }
              return second;
            },
            InitialHorizonTest::isDown);
    assertSame(asked, meanwhile.get(0));
    second.complete(48L);
    assertTrue(asked.isDone());
  }
}
