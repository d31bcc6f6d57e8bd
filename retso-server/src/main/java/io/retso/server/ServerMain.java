package io.retso.server;

import io.retso.server.commands.CommandLines;
import io.retso.server.commands.HandoverCommand;
import io.retso.server.commands.ReloadCommand;
import io.retso.server.commands.SecretCommand;
import io.retso.server.commands.SecureCommand;
import io.retso.server.commands.StatusCommand;
import io.retso.server.commands.TokenCommand;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code retso server} and {@code retso status}: the programs of a machine that runs an oracle. */
@Command(
    name = "retso",
    description = {"Transactions for HBase, and their status oracle.", ""},
    mixinStandardHelpOptions = true,
    versionProvider = BuildVersion.class,
    synopsisSubcommandLabel = "COMMAND",
    commandListHeading = "%nCommands:%n",
    footer = {
      "  hbase   Prepares HBase tables for transactions, and looks after them.",
      "",
      "retso COMMAND --help says what a command can do.",
    },
    subcommands = {
      ServerCommand.class,
      StatusCommand.class,
      HandoverCommand.class,
      ReloadCommand.class,
      SecretCommand.class,
      SecureCommand.class,
      SecureLogCommand.class,
      TokenCommand.class
    })
public final class ServerMain implements Runnable {
  @Spec private CommandSpec spec;

  private ServerMain() {}

  /** Runs a command and ends with its exit code. */
  public static void main(String[] arguments) {
    CommandLines.main(new ServerMain(), arguments);
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "name a command");
  }
}
