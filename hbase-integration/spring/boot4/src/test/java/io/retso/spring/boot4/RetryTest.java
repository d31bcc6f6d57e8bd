package io.retso.spring.boot4;

import io.retso.spring.RetryRules;
import org.springframework.context.annotation.Import;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.transaction.annotation.Transactional;

/** The annotation of Spring 7, which needs no library. */
@Import(RetryTest.Work.class)
class RetryTest extends RetryRules {
  @EnableResilientMethods
  static class Work implements Repeated {
    @Override
    @Retryable(includes = ConcurrencyFailureException.class, maxRetries = ATTEMPTS - 1, delay = 1)
    @Transactional
    public void run(Runnable work) {
      work.run();
    }
  }
}
