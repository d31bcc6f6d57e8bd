package io.retso.admin;

import io.retso.server.BuildVersion;
import io.retso.server.commands.CommandLines;
import picocli.CommandLine.Command;

/** {@code retso hbase} and {@code retso advise} as a program of its own, without the server. */
@Command(
    name = "retso",
    versionProvider = BuildVersion.class,
    subcommands = {HBaseCommand.class, AdviseCommand.class})
public final class AdminMain {
  private AdminMain() {}

  /** Runs a command and ends with its exit code. */
  public static void main(String[] arguments) {
    CommandLines.main(new AdminMain(), arguments);
  }
}
