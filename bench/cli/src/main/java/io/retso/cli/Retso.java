package io.retso.cli;

import io.retso.admin.AdviseCommand;
import io.retso.admin.HBaseCommand;
import io.retso.bench.BenchCommand;
import io.retso.chaos.ChaosCommand;
import io.retso.cluster.nodes.ClusterCommand;
import io.retso.demo.DemoCommand;
import io.retso.sandbox.SandboxCommand;
import io.retso.server.BuildVersion;
import io.retso.server.ServerCommand;
import io.retso.server.commands.CommandLines;
import io.retso.server.commands.HandoverCommand;
import io.retso.server.commands.ReloadCommand;
import io.retso.server.commands.SecretCommand;
import io.retso.server.commands.SecureCommand;
import io.retso.server.commands.StatusCommand;
import io.retso.server.commands.TokenCommand;
import io.retso.verify.VerifyCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code ./retso}: the developer's command line, with the product's commands among others. */
@Command(
    name = "retso",
    description = {"Transactions for HBase, and their status oracle.", ""},
    mixinStandardHelpOptions = true,
    versionProvider = BuildVersion.class,
    synopsisSubcommandLabel = "COMMAND",
    commandListHeading = "%nCommands:%n",
    footer = {
      "",
      "First steps:",
      "  retso demo             a bank on HBase: tellers are killed, the money adds up",
      "  retso sandbox          HBase, an oracle and a table, for your application",
      "  retso bench --quick    a server, a load, the paper's figure from this machine",
      "  retso server           a durable oracle on this machine",
      "  retso cluster up       ZooKeeper, bookies and an oracle, to break them",
      "  retso COMMAND --help   what a command can do",
    },
    subcommands = {
      DemoCommand.class,
      SandboxCommand.class,
      HBaseCommand.class,
      AdviseCommand.class,
      ServerCommand.class,
      StatusCommand.class,
      HandoverCommand.class,
      ReloadCommand.class,
      SecretCommand.class,
      SecureCommand.class,
      TokenCommand.class,
      BenchCommand.class,
      VerifyCommand.class,
      ClusterCommand.class,
      ChaosCommand.class
    })
public final class Retso implements Runnable {
  @Spec private CommandSpec spec;

  private Retso() {}

  /** Makes the command line. */
  static CommandLine commandLine() {
    return CommandLines.of(new Retso());
  }

  /** Runs a command and ends with its exit code. */
  public static void main(String[] arguments) {
    CommandLines.main(new Retso(), arguments);
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "name a command");
  }
}
