package io.retso.server.commands;

import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code retso status}: shows what a running server is doing. */
@Command(
    name = "status",
    description = {
      "Shows health, rates, latencies, aborts, memory and log of a running server.",
      ""
    },
    usageHelpAutoWidth = true,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:The server leads, or is a standby that is ready.",
      "1:It answers, but is neither, or does not tell you; the first line says why.",
      "64:A flag is wrong.",
      "69:Nothing answers."
    },
    modelTransformer = UsualExitCodes.class)
public final class StatusCommand implements Callable<Integer> {
  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Shows this help.")
  private boolean help;

  @Mixin private ServerAddress server;

  @Option(names = "--json", description = "Prints JSON, with more figures.")
  private boolean json;

  @Option(
      names = "--clients",
      description = "Prints the connected clients instead, their names, and whether by TLS.")
  private boolean clients;

  @Option(
      names = "--hot",
      description = {
        "Prints the ids of rows, columns and parts of tables instead because of which most commits"
            + " were refused lately. Clients name them in their messages and logs."
      })
  private boolean hot;

  @Override
  public Integer call() {
    return server.speak(
        () -> {
          ServerAddress.Answer health = get("/health");
          ServerAddress.Answer status = get(clients ? "/clients" : hot ? "/hot" : "/status");
          if (status.status() == ServerAddress.FORBIDDEN) {
            server.print(status.body());
            return ExitCode.UNHEALTHY;
          }
          if (!isKnown(health.status()) || !isKnown(status.status())) {
            return server.isAnother();
          }
          server.print(status.body());
          return health.status() == ServerAddress.OK ? ExitCode.CLEAN : ExitCode.UNHEALTHY;
        });
  }

  private static boolean isKnown(int status) {
    return status == ServerAddress.OK || status == ServerAddress.UNAVAILABLE;
  }

  private ServerAddress.Answer get(String path) throws IOException {
    return server.send("GET", path, json ? "application/json" : "text/plain");
  }
}
