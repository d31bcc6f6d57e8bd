package io.retso.admin;

import io.retso.advise.input.ProgramsFile;
import io.retso.advise.input.ProgramsFormatException;
import io.retso.advise.learn.Learner;
import io.retso.advise.learn.Learner.Learned;
import io.retso.text.ErrorText;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code retso advise learn}: a file of programs from recordings of an application. */
@Command(
    name = "learn",
    description = {
      "Writes a file of programs from recordings of a running application, and lists what they do"
          + " not explain. docs/advise.md says how to record.",
      ""
    },
    mixinStandardHelpOptions = true,
    sortOptions = false,
    usageHelpAutoWidth = true,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:The file is written. Read it, and what is listed, before you believe it.",
      "2:A file cannot be read or written, or there is nothing to learn from.",
      "64:A flag is wrong.",
      "70:An error in ReTSO itself. Please report it."
    })
public final class LearnCommand implements Callable<Integer> {
  private static final int BAD_INPUT = 2;

  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "RECORDING", arity = "1..*", description = "Files of recordings.")
  private List<Path> recordings;

  @Option(names = "--out", paramLabel = "FILE", description = "Takes the programs. Default: stdout")
  private Path file;

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    PrintWriter err = spec.commandLine().getErr();
    try {
      Learner learner = new Learner();
      for (Path recording : recordings) {
        learner.add(recording);
      }
      Learned learned = learner.learn();
      if (file == null) {
        out.print(learned.yaml());
      } else {
        Files.writeString(file, learned.yaml());
        out.println("The programs are in " + file);
      }
      out.flush();
      learned.notes().forEach(note -> err.println("retso advise learn: " + note));
      err.println("retso advise learn: programs that did not run are not covered");
      ProgramsFile.parse(file == null ? "learned" : file.toString(), learned.yaml());
      err.flush();
      return 0;
    } catch (ProgramsFormatException e) {
      err.println("retso advise learn: mend it by hand: " + e.getMessage());
    } catch (IllegalArgumentException | IOException e) {
      err.println("retso advise learn: " + ErrorText.of(e));
    }
    err.flush();
    return BAD_INPUT;
  }
}
