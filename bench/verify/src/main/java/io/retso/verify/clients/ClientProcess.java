package io.retso.verify.clients;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/** A {@link Client} as a process of its own, until its standard input ends. */
final class ClientProcess {
  private ClientProcess() {}

  /** The ready file, and a {@link ClientPlan}. */
  public static void main(String[] arguments) {
    try {
      Path ready = Path.of(arguments[0]);
      String[] plan = Arrays.copyOfRange(arguments, 1, arguments.length);
      Client client = Client.start(ClientPlan.ofArguments(plan));
      try (client) {
        Path unfinished = ready.resolveSibling(ready.getFileName() + ".unfinished");
        Files.writeString(unfinished, Long.toString(System.nanoTime()));
        Files.move(unfinished, ready);
        while (System.in.read() >= 0) {
          // The parent never writes; what counts is the end.
        }
      }
      System.exit(0);
    } catch (IOException | RuntimeException e) {
      e.printStackTrace(); // the parent shows the last lines
      System.exit(1);
    }
  }
}
