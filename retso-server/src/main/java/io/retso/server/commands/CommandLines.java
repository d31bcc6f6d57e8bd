package io.retso.server.commands;

import io.retso.text.ErrorText;
import java.io.PrintWriter;
import java.util.Locale;
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

  /** Runs a program, and ends the process with its exit code. */
  public static void main(Object command, String[] arguments) {
    // BookKeeper writes the names of its nodes in the digits of the locale: members of one log
    // would not find each other's ledgers, and bookies would take them for deleted.
    Locale.setDefault(Locale.ROOT);
    System.exit(execute(command, arguments));
  }

  /** Runs a program. An error, which picocli lets pass, ends it as an exception does. */
  private static int execute(Object command, String[] arguments) {
    try {
      return of(command).execute(arguments);
    } catch (RuntimeException | Error e) { // from the commands' classes, when they are loaded
      StartFailure failure = StartFailure.of(e);
      if (!failure.isKnown()) {
        e.printStackTrace(System.err);
      }
      System.err.println("retso: " + failure.line());
      return failure.code().number();
    }
  }

  private static int explain(ParameterException wrong, String[] arguments) {
    CommandLine command = wrong.getCommandLine();
    PrintWriter err = command.getErr();
    String name = command.getCommandSpec().qualifiedName();
    err.println(name + ": " + ErrorText.of(wrong));
    UnmatchedArgumentException.printSuggestions(wrong, err);
    err.println("Try '" + name + " --help'.");
    err.flush();
    return command.getCommandSpec().exitCodeOnInvalidInput();
  }
}
