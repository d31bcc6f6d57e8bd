package io.retso.server;

import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** What all programs of ReTSO do alike with their arguments. Stateless. */
public final class CommandLines {
  private CommandLines() {}

  /**
   * A command line that says in one line what is wrong with its arguments, and ends with {@link
   * ExitCode#USAGE} then.
   *
   * @param command with picocli's annotations; its subcommands are those of the program
   */
  public static CommandLine of(Object command) {
    CommandLine commandLine = new CommandLine(command).setCaseInsensitiveEnumValuesAllowed(true);
    commandLine.setParameterExceptionHandler(CommandLines::explain);
    commandLine.getCommandSpec().exitCodeOnInvalidInput(ExitCode.USAGE.number());
    return commandLine;
  }

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
}
