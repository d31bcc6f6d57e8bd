package io.retso.verify.lists;

/** Receives what no correct store does, seen without the checker. Thread-safe. */
public interface Findings {
  /** Something is wrong. */
  void violation(String what);

  /**
   * Does the work of a thread. Whatever ends it, an error too, is reported: no other would see it.
   */
  default void watch(String thread, Runnable work) {
    try {
      work.run();
    } catch (Throwable e) {
      violation(thread + " ended by itself: " + StackTraces.of(e));
    }
  }
}
