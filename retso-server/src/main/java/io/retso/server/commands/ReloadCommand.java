package io.retso.server.commands;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code retso reload}: has a server read its files of security at once. */
@Command(
    name = "reload",
    description = {
      "Has a server read its access file, certificates and secret at once, and says what counts"
          + " from",
      "here on. Without it they are read every 10 seconds.",
      ""
    },
    usageHelpAutoWidth = true,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:They were read.",
      "1:It refused, or a file cannot be used: what was read before goes on to count.",
      "64:A flag is wrong.",
      "69:Nothing answers."
    },
    modelTransformer = UsualExitCodes.class)
public final class ReloadCommand implements Callable<Integer> {
  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Shows this help.")
  private boolean help;

  @Mixin private ServerAddress server;

  @Override
  public Integer call() {
    return server.speak(() -> server.act("/reload"));
  }
}
