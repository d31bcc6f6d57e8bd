package io.retso.server.commands;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code retso handover}: has the leader hand over to a standby. */
@Command(
    name = "handover",
    description = {
      "Has the server that leads hand over to a standby that is ready, and stand by itself.",
      ""
    },
    usageHelpAutoWidth = true,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:It stands by; a standby takes over.",
      "1:It refused, and goes on as before: it does not lead, no standby is ready, or it is asked"
          + " from another machine.",
      "64:A flag is wrong.",
      "69:Nothing answers."
    },
    modelTransformer = UsualExitCodes.class)
public final class HandoverCommand implements Callable<Integer> {
  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Shows this help.")
  private boolean help;

  @Mixin private ServerAddress server;

  @Override
  public Integer call() {
    return server.speak(() -> server.act("/handover"));
  }
}
