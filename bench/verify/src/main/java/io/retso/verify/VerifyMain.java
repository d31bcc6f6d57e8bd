package io.retso.verify;

import io.retso.server.BuildVersion;
import io.retso.server.commands.CommandLines;
import picocli.CommandLine.Command;

/** {@code retso verify} as a program of its own, for operators that judge their own cluster. */
@Command(name = "retso", versionProvider = BuildVersion.class, subcommands = VerifyCommand.class)
public final class VerifyMain {
  private VerifyMain() {}

  /** Runs the command and ends with its exit code. */
  public static void main(String[] arguments) {
    CommandLines.main(new VerifyMain(), arguments);
  }
}
