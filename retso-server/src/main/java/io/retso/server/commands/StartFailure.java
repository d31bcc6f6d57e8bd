package io.retso.server.commands;

import io.retso.log.LogException;
import io.retso.server.config.ConfigException;
import io.retso.server.config.Obstacle;
import io.retso.text.ErrorText;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/**
 * Why a server did not start: one line with cause and remedy, and what its process ends with.
 *
 * @param isKnown whether it is none of our own errors, which need a stack trace
 */
public record StartFailure(ExitCode code, String line, boolean isKnown) {
  /** What any exception or error that ends a start means. */
  public static StartFailure of(Throwable failure) {
    Throwable e = unwrapped(failure);
    if (e instanceof ConfigException wrong) {
      return known(ExitCode.USAGE, wrong.getMessage());
    } else if (e instanceof LogException log) {
      return known(
          ExitCode.of(log.reason()), log.getMessage() + "; " + ExitCode.remedy(log.reason()));
    }
    Optional<Obstacle> obstacle = Obstacle.of(e);
    if (e instanceof IOException || obstacle.isPresent()) {
      String text = ErrorText.of(e);
      String remedy = obstacle.map(Obstacle::remedy).filter(r -> !text.contains(r)).orElse("");
      // What we say of an input or output error has its remedy; what the language says has none.
      boolean isComplete = remedy.isEmpty() || e instanceof IOException && text.contains("; ");
      return known(code(obstacle), isComplete ? text : text + "; " + remedy);
    }
    return new StartFailure(
        ExitCode.INTERNAL,
        oneLine("an error in ReTSO: " + e) + "; nothing was done. Report the stack trace above",
        false);
  }

  private static Throwable unwrapped(Throwable failure) {
    Throwable e = failure;
    while ((e instanceof CompletionException
            || e instanceof ExecutionException
            || e instanceof ExceptionInInitializerError)
        && e.getCause() != null) {
      e = e.getCause();
    }
    return e;
  }

  private static ExitCode code(Optional<Obstacle> obstacle) {
    return obstacle
        .filter(which -> which == Obstacle.HEAP || which == Obstacle.DIRECT_MEMORY)
        .map(which -> ExitCode.USAGE)
        .orElse(ExitCode.CANNOT_OPEN);
  }

  private static StartFailure known(ExitCode code, String text) {
    return new StartFailure(code, oneLine(text), true);
  }

  /** Some libraries say what they have to say in several. */
  private static String oneLine(String text) {
    return text.strip().replaceAll("\\s*\\R\\s*", " ");
  }
}
