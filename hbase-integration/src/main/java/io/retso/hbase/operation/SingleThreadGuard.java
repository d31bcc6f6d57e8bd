package io.retso.hbase.operation;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/**
 * The one thread that is within the blocking methods of a transaction. A second one is refused, not
 * kept waiting: it would find a transaction that it did not expect. Thread-safe.
 */
public final class SingleThreadGuard {
  /** A blocking operation of the application. */
  public interface Blocking<T> {
    public T run() throws IOException;
  }

  private final AtomicReference<Thread> user = new AtomicReference<>();

  /** Runs a blocking method; it may call others. */
  public <T> T run(Blocking<T> body, Supplier<String> transaction) throws IOException {
    Thread current = Thread.currentThread();
    boolean outermost = user.compareAndSet(null, current);
    if (!outermost && user.get() != current) {
      throw new IllegalStateException(
          transaction.get()
              + " is used by two threads at once: let each thread begin its own, or use"
              + " asyncTable");
    }
    try {
      return body.run();
    } finally {
      if (outermost) {
        user.set(null);
      }
    }
  }
}
