package io.retso.spring.boot3;

import io.retso.spring.RetryRules;
import org.springframework.context.annotation.Import;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.retry.annotation.Backoff;
import org.springframework.retry.annotation.EnableRetry;
import org.springframework.retry.annotation.Retryable;
import org.springframework.transaction.annotation.Transactional;

/** The library spring-retry. */
@Import(RetryTest.Work.class)
class RetryTest extends RetryRules {
  @EnableRetry
  static class Work implements Repeated {
    @Override
    @Retryable(
        retryFor = ConcurrencyFailureException.class,
        maxAttempts = ATTEMPTS,
        backoff = @Backoff(delay = 1))
    @Transactional
    public void run(Runnable work) {
      work.run();
    }
  }
}
