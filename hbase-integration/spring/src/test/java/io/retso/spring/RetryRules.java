package io.retso.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.dao.OptimisticLockingFailureException;

/** Spring's own {@code @Retryable}, which each of its versions has elsewhere. */
@SpringBootTest(classes = TestApplication.class)
public abstract class RetryRules {
  /** Work of a bean that is transactional, and repeated for {@code ConcurrencyFailureException}. */
  public interface Repeated {
    void run(Runnable work);
  }

  /** How often {@link Repeated} runs work that always conflicts. */
  public static final int ATTEMPTS = 3;

  @Autowired private Rows rows;
  @Autowired private Repeated repeated;

  private final AtomicInteger attempts = new AtomicInteger();

  @BeforeEach
  void clear() {
    Rows.clear();
  }

  private void increment() {
    attempts.incrementAndGet();
    String value = rows.get("a");
    rows.put("a", value + "+");
  }

  @Test
  void aConflictIsRepeated() {
    rows.commitAnother("a", "0");
    repeated.run(
        () -> {
          increment();
          if (attempts.get() == 1) {
            rows.commitAnother("a", "1");
          }
        });
    assertEquals(2, attempts.get());
    assertEquals("1+", rows.committed("a"));
  }

  @Test
  void notForEver() {
    assertThrows(
        OptimisticLockingFailureException.class,
        () ->
            repeated.run(
                () -> {
                  increment();
                  rows.commitAnother("a", "" + attempts.get());
                }));
    assertEquals(ATTEMPTS, attempts.get());
  }

  /** It could be done twice. */
  @Test
  void anUnknownOutcomeIsNot() throws IOException {
    UnknownOutcomeException e =
        assertThrows(
            UnknownOutcomeException.class,
            () ->
                repeated.run(
                    () -> {
                      increment();
                      Thread.currentThread().interrupt(); // it does not wait for the answer
                    }));
    assertTrue(Thread.interrupted());
    assertEquals(1, attempts.get());
    e.resolve();
  }
}
