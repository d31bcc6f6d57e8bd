package io.retso.cluster;

import io.retso.server.ServerMain;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Runs an oracle as a child that never outlives its parent: it shuts down when its standard input
 * ends, which happens however the parent ends.
 */
public final class Tethered {
  private static final long SHUTDOWN_SECONDS_MAX = 10;

  private Tethered() {}

  /** Runs the command of the arguments. */
  public static void main(String[] arguments) {
    Thread tether = new Thread(Tethered::awaitParent, "tether");
    tether.setDaemon(true);
    tether.start();
    ServerMain.main(arguments);
  }

  private static void awaitParent() {
    try {
      while (System.in.read() >= 0) {
        // The parent never writes; what counts is the end.
      }
    } catch (IOException e) {
      // An end too.
    }
    Thread last = new Thread(Tethered::haltLater, "halt");
    last.setDaemon(true);
    last.start();
    System.exit(0);
  }

  /** For a shutdown that hangs. */
  private static void haltLater() {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(SHUTDOWN_SECONDS_MAX);
    while (System.nanoTime() < deadline) {
      LockSupport.parkNanos(deadline - System.nanoTime());
    }
    Runtime.getRuntime().halt(1);
  }
}
