package io.retso.client;

import org.apache.yetus.audience.InterfaceAudience;

/**
 * A thread that completes futures of many, such as a client's event loop. Code that blocks it holds
 * up all of them, and may wait for what only this thread can bring. Blocking methods throw {@link
 * IllegalStateException} on it.
 */
@InterfaceAudience.Public
public interface NonBlocking {
  /** Whether the calling thread is one. */
  static boolean isCurrent() {
    return Thread.currentThread() instanceof NonBlocking;
  }
}
