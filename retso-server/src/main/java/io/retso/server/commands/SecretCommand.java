package io.retso.server.commands;

import io.retso.security.ClusterSecret;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code retso secret}: makes the secret that the servers of a log share. */
@Command(
    name = "secret",
    description = {
      "Makes a file with a new secret, which its owner alone can read. Each server of a log needs"
          + " a",
      "copy, as its secret.file: with it the oracle knows which client began a transaction.",
      ""
    },
    usageHelpAutoWidth = true,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:It is made.",
      "64:A flag is wrong, or the file exists.",
      "73:It cannot be made."
    },
    modelTransformer = UsualExitCodes.class)
public final class SecretCommand implements Callable<Integer> {
  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Shows this help.")
  private boolean help;

  @Parameters(paramLabel = "FILE", description = "Does not exist yet.")
  private Path file;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    try {
      ClusterSecret.make(file);
    } catch (FileAlreadyExistsException e) {
      spec.commandLine()
          .getErr()
          .println(
              "retso secret: "
                  + file
                  + " exists, and is what its servers go by: name another file. To replace a"
                  + " secret, put the line of the new one behind it first");
      return ExitCode.USAGE.number();
    }
    spec.commandLine()
        .getOut()
        .println("made " + file + ": copy it to each server of the log, and set secret.file");
    return ExitCode.CLEAN.number();
  }
}
