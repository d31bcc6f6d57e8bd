package io.retso.demo;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import io.retso.cluster.DeleteAtExit;
import java.nio.file.Path;
import org.slf4j.LoggerFactory;

/**
 * What is said when a user ends the demo: one line, and nothing of the connections that its own
 * parts lose meanwhile.
 */
final class EndedEarly implements DeleteAtExit.Farewell {
  private final Screen screen;

  /** Null if nothing is kept. */
  private final Path kept;

  EndedEarly(Screen screen, Path kept) {
    this.screen = screen;
    this.kept = kept;
  }

  @Override
  public void begins() {
    LoggerContext loggers = (LoggerContext) LoggerFactory.getILoggerFactory();
    loggers.getLoggerList().forEach(logger -> logger.setLevel(Level.OFF));
    screen.close();
  }

  @Override
  public void ends() {
    screen.last(
        "Ended early, without a verdict; "
            + (kept == null ? "data deleted." : "data and output of all processes: " + kept));
  }
}
