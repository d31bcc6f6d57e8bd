package io.retso.client;

/**
 * A thread that completes futures of many, such as a client's event loop. Code that blocks it holds
 * up all of them, and may wait for what only this thread can bring. Blocking methods throw {@link
 * IllegalStateException} on it.
 */
public interface NonBlocking {
  /** Whether the calling thread is one. */
  static boolean isCurrent() {
    return Thread.currentThread() instanceof NonBlocking;
  }
}
