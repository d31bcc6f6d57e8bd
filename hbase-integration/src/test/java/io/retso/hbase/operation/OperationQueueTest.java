package io.retso.hbase.operation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Writes one after the other, reads after the writes before them, however many wait. */
class OperationQueueTest {
  private final OperationQueue queue = new OperationQueue();
  private final List<String> started = new ArrayList<>();

  private CompletableFuture<Void> submit(
      boolean isWrite, String name, CompletableFuture<Void> end) {
    return queue.submit(
        isWrite,
        !name.equals("read2"),
        () -> {
          started.add(name);
          return end;
        });
  }

  @Test
  void operationsWaitForTheWritesBeforeThem() {
    CompletableFuture<Void> read1 = new CompletableFuture<>();
    CompletableFuture<Void> write1 = new CompletableFuture<>();
    CompletableFuture<Void> write2 = new CompletableFuture<>();
    CompletableFuture<Void> done = CompletableFuture.completedFuture(null);
    submit(false, "read1", read1);
    CompletableFuture<Void> failed = submit(true, "write1", write1);
    submit(true, "write2", write2);
    CompletableFuture<Void> read2 = submit(false, "read2", done);
    assertEquals(List.of("read1", "write1"), started, "a write does not wait for reads");
    write1.completeExceptionally(new IllegalStateException("expected"));
    assertTrue(failed.isCompletedExceptionally());
    assertEquals(List.of("read1", "write1", "write2"), started);
    assertFalse(read2.isDone());
    assertEquals(2, queue.held(), "read1 and write2, not read2");
    write2.complete(null);
    assertTrue(read2.isDone());
    assertEquals(1, queue.held(), "read1");
    assertFalse(queue.idle().isDone());
    read1.complete(null);
    assertEquals(0, queue.held());
    assertTrue(queue.idle().isDone());
  }

  @Test
  void stackStaysFlat() {
    int count = 200_000;
    CompletableFuture<Void> first = new CompletableFuture<>();
    submit(true, "first", first);
    List<Integer> order = new ArrayList<>();
    CompletableFuture<Void> last = null;
    for (int i = 0; i < count; i++) {
      int number = i;
      last =
          queue.submit(
              true,
              true,
              () -> {
                order.add(number);
                return CompletableFuture.completedFuture(null);
              });
    }
    assertEquals(count + 1, queue.held());
    first.complete(null);
    assertTrue(last.isDone());
    assertEquals(count, order.size());
    assertEquals(count - 1, order.get(count - 1));
  }
}
