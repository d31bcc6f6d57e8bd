package io.retso.server.commands;

import picocli.CommandLine.IModelTransformer;
import picocli.CommandLine.Model.CommandSpec;

/** Wrong flags and errors end a command, and those below it, as they do everywhere. Stateless. */
public final class UsualExitCodes implements IModelTransformer {
  @Override
  public CommandSpec transform(CommandSpec command) {
    command.exitCodeOnInvalidInput(ExitCode.USAGE.number());
    command.exitCodeOnExecutionException(ExitCode.INTERNAL.number());
    command.subcommands().values().forEach(each -> transform(each.getCommandSpec()));
    return command;
  }
}
