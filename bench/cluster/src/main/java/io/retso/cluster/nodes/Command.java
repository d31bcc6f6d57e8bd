package io.retso.cluster.nodes;

import io.retso.cluster.ClusterException;
import io.retso.text.ErrorText;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Programs that are run to their end. Stateless. */
final class Command {
  private Command() {}

  /**
   * What a program printed, and how it ended.
   *
   * @param exitCode 0 if all is well
   */
  record Result(int exitCode, String output) {}

  /**
   * Runs a program.
   *
   * @param input all of its standard input
   * @throws ClusterException if it cannot be started, or takes longer than allowed; it is gone then
   */
  static Result run(List<String> words, String input, Duration atMost)
      throws IOException, InterruptedException {
    Path output = Files.createTempFile("retso-cluster", ".txt");
    try {
      Process process = start(words, output);
      try {
        try (var stdin = process.getOutputStream()) {
          stdin.write(input.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
          // It ended without reading; its exit code tells.
        }
        if (!process.waitFor(atMost.toMillis(), TimeUnit.MILLISECONDS)) {
          throw new ClusterException(
              String.join(" ", words) + " took longer than " + atMost.toSeconds() + " s", null);
        }
      } finally {
        process.destroyForcibly();
      }
      return new Result(process.exitValue(), Files.readString(output).strip());
    } finally {
      Files.delete(output);
    }
  }

  /**
   * Runs a program that is to succeed.
   *
   * @return what it printed
   * @throws ClusterException if it fails, too
   */
  static String require(List<String> words, String input, Duration atMost)
      throws IOException, InterruptedException {
    Result result = run(words, input, atMost);
    if (result.exitCode() != 0) {
      throw new ClusterException(String.join(" ", words) + " failed: " + result.output(), null);
    }
    return result.output();
  }

  private static Process start(List<String> words, Path output) throws IOException {
    try {
      return new ProcessBuilder(words)
          .redirectErrorStream(true)
          .redirectOutput(output.toFile())
          .start();
    } catch (IOException e) {
      throw new ClusterException("cannot run " + words.get(0) + ": " + ErrorText.of(e), e);
    }
  }
}
