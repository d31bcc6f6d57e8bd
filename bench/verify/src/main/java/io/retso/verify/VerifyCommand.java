package io.retso.verify;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.retso.admin.RootCause;
import io.retso.cluster.ClusterException;
import io.retso.cluster.DeleteAtExit;
import io.retso.cluster.Directories;
import io.retso.server.commands.UsualExitCodes;
import io.retso.text.ErrorText;
import io.retso.verify.check.Checker;
import io.retso.verify.check.Model;
import io.retso.verify.check.Verdict;
import io.retso.verify.clients.RunIsolation;
import io.retso.verify.history.HistoryFormatException;
import io.retso.verify.history.HistoryReader;
import io.retso.verify.run.RunSettings;
import io.retso.verify.run.VerifyRun;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code retso verify}: whether transactions were isolated as promised. */
@Command(
    name = "verify",
    description = {
      "Runs random transactions, lets faults happen, and judges the whole history.",
      "",
      "Starts an oracle and HBase as processes of this machine (or uses those of --cluster and"
          + " --oracle), prepares tables of both read modes and both conflict rules, and lets"
          + " threads of several processes append to lists and read them, while clients, region"
          + " servers and the oracle are killed, and regions move, split, merge, flush and compact."
          + " In the end everything is read, and the history is checked for what was promised:"
          + " strong snapshot isolation, or serializability.",
      "",
      "With --history it checks a recorded history instead, a file in the format of Elle's"
          + " list-append tests, one operation a line.",
      ""
    },
    sortOptions = false,
    usageHelpAutoWidth = true,
    abbreviateSynopsis = true,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:The history is consistent.",
      "1:It has anomalies; they are explained.",
      "2:The file is not a history or cannot be read, the run could not be made, or nothing was"
          + " tested.",
      "64:A flag is wrong.",
      "70:An error in ReTSO itself. Please report it.",
      "130, 143:Ended by SIGINT or SIGTERM; the tables in a given cluster are gone, and"
          + " what was not to be kept."
    },
    modelTransformer = UsualExitCodes.class)
public final class VerifyCommand implements Callable<Integer> {
  private static final int CONSISTENT = 0;
  private static final int ANOMALIES = 1;
  private static final int BAD_INPUT = 2;

  @Spec private CommandSpec spec;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Shows this help.")
  private boolean help;

  @Option(
      names = "--history",
      paramLabel = "FILE",
      description = "Checks this history and runs nothing.")
  private Path file;

  @Option(
      names = "--isolation",
      paramLabel = "snapshot|serializable|mixed",
      description =
          RunIsolation.PROMISES + " Default: snapshot; with --history, what that says of each")
  private RunIsolation isolation;

  @Mixin private RunOptions run;

  @Override
  public Integer call() {
    if (file == null) {
      return run();
    }
    try {
      return check(file);
    } catch (NoSuchFileException e) {
      return refused("there is no file " + file);
    } catch (HistoryFormatException e) {
      return refused(file + ": " + e.getMessage());
    } catch (CharacterCodingException e) {
      return refused(file + " is not text in UTF-8: is it a history?");
    } catch (IOException e) {
      return refused("cannot read " + file + ": " + ErrorText.of(e));
    }
  }

  /** Makes a run, prints what came of it, and returns the exit code. */
  private int run() {
    RunIsolation promised = isolation == null ? RunIsolation.SNAPSHOT : isolation;
    RunSettings settings = run.settings(spec.commandLine(), promised);
    PrintWriter out = spec.commandLine().getOut();
    // What HBase's and our own client say about servers that are killed would fill the screen.
    ((Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME)).setLevel(Level.ERROR);
    ((Logger) LoggerFactory.getLogger("io.retso")).setLevel(Level.ERROR);
    DeleteAtExit exit =
        settings.keep() ? DeleteAtExit.keepingData() : DeleteAtExit.of(settings.directory());
    try (exit) {
      Files.createDirectories(settings.directory());
      VerifyRun.Result result = VerifyRun.run(settings, out);
      out.print(VerdictText.of(result.verdict(), result.obstacles().isEmpty()));
      result.violations().forEach(violation -> out.println("VIOLATION: " + violation));
      if (result.isGood() && !settings.keep()) {
        Directories.delete(settings.directory());
      } else if (!result.isGood()) {
        out.printf(
            Locale.ROOT,
            "The history is in %s; check it again with --history. Seed %d.%n",
            result.history(),
            settings.seed());
      }
      out.flush();
      result.obstacles().forEach(this::refused);
      return exitCode(result.isWrong(), result.obstacles().isEmpty());
    } catch (ClusterException e) {
      deleteIfEmpty(settings.directory());
      return refused(e.getMessage());
    } catch (IOException e) {
      return refused(
          "the run did not get to its end: " + RootCause.of(e) + "; " + trace(e, settings));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return refused("interrupted");
    }
  }

  /** Keeps what helps to find the cause beside what the run wrote, and says where it is. */
  private static String trace(IOException cause, RunSettings settings) {
    Path file = settings.directory().resolve("error.txt");
    StringWriter text = new StringWriter();
    cause.printStackTrace(new PrintWriter(text));
    try {
      Files.writeString(file, text.toString());
      return "all about it is in " + file;
    } catch (IOException e) {
      return file + " cannot be written (" + ErrorText.of(e) + "): " + text;
    }
  }

  private static void deleteIfEmpty(Path directory) {
    try {
      Files.deleteIfExists(directory);
    } catch (IOException e) {
      return; // something is in it that the message names
    }
  }

  private static Model model(RunIsolation promised) {
    return switch (promised) {
      case SNAPSHOT -> Model.STRONG_SNAPSHOT_ISOLATION;
      case SERIALIZABLE -> Model.STRICT_SERIALIZABILITY;
      case MIXED -> Model.AS_PROMISED;
    };
  }

  /** Checks a file, prints the verdict, and returns the exit code. */
  private int check(Path history) throws IOException {
    long begin = System.nanoTime();
    HistoryReader.Result read = HistoryReader.read(history);
    long middle = System.nanoTime();
    Model model = isolation == null ? Model.of(read.history()) : model(isolation);
    Verdict verdict = Checker.check(read.history(), model);
    long end = System.nanoTime();
    PrintWriter out = spec.commandLine().getOut();
    if (read.cutAtLine() > 0) {
      out.printf(
          Locale.ROOT,
          "Line %d, the last one, was cut in the middle and is ignored.%n",
          read.cutAtLine());
    }
    boolean isTested = verdict.ok() > 0;
    out.print(VerdictText.of(verdict, isTested));
    out.printf(
        Locale.ROOT,
        "Read in %.1f s, checked in %.1f s.%n",
        (middle - begin) / 1e9,
        (end - middle) / 1e9);
    out.flush();
    if (!isTested) {
      refused(
          "nothing was tested: no transaction in "
              + history
              + " is committed (:type :ok); its :error says why one failed");
    }
    return exitCode(!verdict.isConsistent(), isTested);
  }

  /** What is wrong counts, however little was tested. */
  private static int exitCode(boolean isWrong, boolean isTested) {
    if (isWrong) {
      return ANOMALIES;
    }
    return isTested ? CONSISTENT : BAD_INPUT;
  }

  private int refused(String reason) {
    PrintWriter err = spec.commandLine().getErr();
    err.println("retso verify: " + reason);
    err.flush();
    return BAD_INPUT;
  }
}
