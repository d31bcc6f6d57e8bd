package io.retso.sandbox;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import io.retso.cluster.DeleteAtExit;
import io.retso.cluster.LocalCluster;
import io.retso.text.ErrorText;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.LoggerFactory;

/**
 * What is done when a user ends the sandbox: data that is kept is closed cleanly, so that the next
 * start has nothing to recover. Thread-safe.
 */
final class Ending implements DeleteAtExit.Farewell {
  private final PrintWriter out;
  private final boolean keepsData;
  private final AtomicReference<LocalCluster> cluster = new AtomicReference<>();
  private volatile boolean begun;

  Ending(PrintWriter out, boolean keepsData) {
    this.out = out;
    this.keepsData = keepsData;
  }

  /** Whether the process is being ended: what fails from then on fails because of that. */
  boolean hasBegun() {
    return begun;
  }

  /** Takes a cluster that serves; it is closed once, by the thread that comes first. */
  void owns(LocalCluster started) {
    cluster.set(started);
  }

  void closeCluster() throws IOException {
    LocalCluster owned = cluster.getAndSet(null);
    if (owned != null) {
      owned.close();
    }
  }

  @Override
  public void begins() {
    begun = true;
    // Clients in this process lose their connections now.
    LoggerContext loggers = (LoggerContext) LoggerFactory.getILoggerFactory();
    loggers.getLoggerList().forEach(logger -> logger.setLevel(Level.OFF));
    if (!keepsData) {
      return; // What is deleted need not be closed.
    }
    line("");
    line("Ending HBase and the oracle, a few seconds ...");
    try {
      closeCluster();
    } catch (IOException e) {
      line("HBase's ZooKeeper did not end cleanly: " + ErrorText.of(e) + "; data is kept");
    }
  }

  @Override
  public void ends() {
    line(keepsData ? "Ended; data is kept." : "Ended; data deleted.");
  }

  private void line(String text) {
    out.println(text);
    out.flush();
  }
}
