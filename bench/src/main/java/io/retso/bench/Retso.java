package io.retso.bench;

import io.retso.admin.HBaseCommand;
import io.retso.demo.DemoCommand;
import io.retso.server.ExitCode;
import io.retso.server.ServerCommand;
import io.retso.server.StatusCommand;
import io.retso.verify.VerifyCommand;
import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/** {@code retso}: the command line. */
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
      "  retso bench --quick    a server, a load, the paper's figure from this machine",
      "  retso server           a durable oracle on this machine",
      "  retso COMMAND --help   what a command can do",
    },
    subcommands = {
      DemoCommand.class,
      HBaseCommand.class,
      ServerCommand.class,
      StatusCommand.class,
      BenchCommand.class,
      VerifyCommand.class
    })
public final class Retso implements Runnable {
  @Spec private CommandSpec spec;

  private Retso() {}

  /** Makes the command line. */
  static CommandLine commandLine() {
    CommandLine commandLine =
        new CommandLine(new Retso()).setCaseInsensitiveEnumValuesAllowed(true);
    commandLine.setParameterExceptionHandler(Retso::explain);
    commandLine.getCommandSpec().exitCodeOnInvalidInput(ExitCode.USAGE.number());
    return commandLine;
  }

  /** Says what is wrong with the arguments, in one line, and where help is. */
  private static int explain(ParameterException wrong, String[] arguments) {
    CommandLine command = wrong.getCommandLine();
    PrintWriter err = command.getErr();
    String name = command.getCommandSpec().qualifiedName();
    err.println(name + ": " + wrong.getMessage());
    UnmatchedArgumentException.printSuggestions(wrong, err);
    err.println("Try '" + name + " --help'.");
    err.flush();
    return command.getCommandSpec().exitCodeOnInvalidInput();
  }

  /** Runs a command and ends with its exit code. */
  public static void main(String[] arguments) {
    System.exit(commandLine().execute(arguments));
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "name a command");
  }
}
