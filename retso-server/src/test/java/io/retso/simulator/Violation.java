package io.retso.simulator;

import java.util.function.Supplier;

/** A promise was broken. */
public final class Violation extends AssertionError {
  private static final long serialVersionUID = 1L;

  public Violation(String message) {
    super(message);
  }

  static void unless(boolean condition, String message) {
    if (!condition) {
      throw new Violation(message);
    }
  }

  static void unless(boolean condition, Supplier<String> message) {
    if (!condition) {
      throw new Violation(message.get());
    }
  }
}
