package io.retso.report;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;

/** How results become text on a terminal and files in a directory. */
public final class Publication {
  private Publication() {}

  /**
   * Prints a result, and writes it as JSON and its figures into a directory, which is made.
   *
   * @throws BenchException if a file cannot be written, or a run was wrong; all that can be written
   *     is there then
   */
  public static void publish(Result result, PrintWriter text, Path directory)
      throws BenchException {
    text.println(result.text());
    Path json = directory.resolve(result.name() + ".json");
    try {
      Files.createDirectories(directory);
      ReportJson.write(result, json);
      for (Plot plot : result.plots()) {
        Path file = directory.resolve(plot.file() + ".svg");
        Files.writeString(file, Drawing.of(plot));
        text.println("  figure: " + file);
      }
    } catch (IOException e) {
      throw new BenchException(
          "cannot write results to " + directory + ": " + e + "; choose another --out", e);
    }
    text.println("  raw figures: " + json);
    text.flush();
    if (!result.failures().isEmpty()) {
      throw new BenchException(
          result.failures().size() + " runs are wrong, as said above. Please report it.");
    }
  }
}
