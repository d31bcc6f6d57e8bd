package io.retso.server;

import io.retso.net.OracleServer;
import io.retso.text.ErrorText;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Tasks on the oracle's thread that another thread waits for. */
final class OracleLoop {
  private static final long SECONDS_MAX = 60;

  private OracleLoop() {}

  /** Runs a task on the oracle's thread and waits for it. */
  static void run(OracleServer net, Runnable task) throws InterruptedException {
    try {
      CompletableFuture.runAsync(task, net.executor()).get(SECONDS_MAX, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw new IllegalStateException(ErrorText.of(e.getCause()), e.getCause());
    } catch (TimeoutException e) {
      throw new IllegalStateException("the oracle's thread does not answer", e);
    }
  }
}
