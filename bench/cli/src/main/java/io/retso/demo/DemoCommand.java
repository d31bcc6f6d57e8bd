package io.retso.demo;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.retso.cluster.DeleteAtExit;
import io.retso.cluster.Directories;
import io.retso.cluster.LocalCluster;
import io.retso.hbase.admin.SweepResult;
import io.retso.hbase.table.TableRisks;
import io.retso.server.BuildVersion;
import io.retso.server.commands.ExitCode;
import io.retso.server.commands.UsualExitCodes;
import io.retso.text.ErrorText;
import io.retso.workload.Isolation;
import io.retso.workload.IsolationOption;
import io.retso.workload.store.HBaseStore;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code retso demo}: a bank whose tellers are killed. */
@Command(
    name = "demo",
    description = {
      "A bank on transactional HBase tables, whose total never changes.",
      "",
      "Starts ZooKeeper, BookKeeper, the oracle and HBase on this machine, opens accounts in two"
          + " tables, and lets processes of tellers move money between the tables. Every few"
          + " seconds one of them is killed with -9 in the middle of its work. An auditor adds up"
          + " both tables in one snapshot, again and again. At the end every acknowledged transfer"
          + " must be in the journal, every refused one not, and every audit must have found the"
          + " same total.",
      ""
    },
    mixinStandardHelpOptions = true,
    versionProvider = BuildVersion.class,
    sortOptions = false,
    usageHelpAutoWidth = true,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:The money adds up.",
      "1:It does not, or the cluster, the tellers or the auditor failed; the last lines say what.",
      "64:A flag is wrong.",
      "70:An error in ReTSO itself. Please report it.",
      "130, 143:Ended by SIGINT or SIGTERM; what was not to be kept is gone."
    },
    modelTransformer = UsualExitCodes.class)
public final class DemoCommand implements Callable<Integer> {
  private static final int FAILED = 1;
  private static final int PROCESSES_MAX = 16;
  private static final int THREADS_MAX = 64;
  private static final int ACCOUNTS_MAX = 100_000;

  @Spec private CommandSpec spec;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      defaultValue = "30",
      description = "How long the tellers work, 5 to 86400. Default: ${DEFAULT-VALUE}.")
  private int seconds;

  @Option(
      names = "--accounts",
      paramLabel = "N",
      defaultValue = "200",
      description = "Accounts, 2 to 100000; fewer mean more conflicts. Default: ${DEFAULT-VALUE}.")
  private int accounts;

  @Option(
      names = "--processes",
      paramLabel = "N",
      defaultValue = "2",
      description = "Processes of tellers, 1 to 16. Default: ${DEFAULT-VALUE}.")
  private int processes;

  @Option(
      names = "--threads",
      paramLabel = "N",
      defaultValue = "8",
      description = "Tellers in each process, 1 to 64. Default: ${DEFAULT-VALUE}.")
  private int threads;

  @Option(
      names = "--kill-every",
      paramLabel = "SECONDS",
      defaultValue = "5",
      description = "Mean time between two kills, 1 to 3600. Default: ${DEFAULT-VALUE}.")
  private int killEvery;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "Seed of the amounts and of the kills. Default: another one each time.")
  private Long seed;

  @Mixin private IsolationOption isolation;

  @Option(
      names = "--out",
      paramLabel = "DIRECTORY",
      description =
          "Data and output of all processes, new or empty; kept. Default: a temporary directory,"
              + " deleted if the money adds up, and after SIGINT or SIGTERM.")
  private Path out;

  private Screen screen;

  @Override
  public Integer call() throws InterruptedException {
    check("--seconds", seconds, 5, 86_400);
    check("--accounts", accounts, 2, ACCOUNTS_MAX);
    check("--processes", processes, 1, PROCESSES_MAX);
    check("--threads", threads, 1, THREADS_MAX);
    check("--kill-every", killEvery, 1, 3600);
    screen = new Screen(spec.commandLine().getOut());
    Path directory = directory();
    EndedEarly goodbye = new EndedEarly(screen, out == null ? null : directory);
    DeleteAtExit exit =
        out == null ? DeleteAtExit.of(directory, goodbye) : DeleteAtExit.keepingData(goodbye);
    try (exit) {
      return runAndTidy(directory) ? ExitCode.CLEAN.number() : FAILED;
    } catch (IOException | RuntimeException e) {
      if (e instanceof RuntimeException broken && !screen.isClosed()) {
        throw broken;
      }
      return failed(e);
    }
  }

  /** Nothing is said of what fails because the process is being ended. */
  private int failed(Exception failure) {
    if (!screen.isClosed()) {
      PrintWriter err = spec.commandLine().getErr();
      err.println("retso demo: " + ErrorText.of(failure));
      err.flush();
    }
    return FAILED;
  }

  /** Makes it, or refuses what others have written to. */
  private Path directory() {
    try {
      if (out == null) {
        return Files.createTempDirectory("retso-demo");
      }
      Files.createDirectories(out);
      try (Stream<Path> files = Files.list(out)) {
        if (files.findAny().isPresent()) {
          throw wrong("--out=" + out + " is not empty: name another directory");
        }
      }
      return out;
    } catch (FileAlreadyExistsException e) {
      throw wrong("--out=" + out + ": " + e.getFile() + " is a file: name a directory");
    } catch (IOException e) {
      throw wrong(
          out == null
              ? "no temporary directory can be made (" + ErrorText.of(e) + "): use --out"
              : "--out=" + out + " cannot be used: " + reason(e) + ": name another directory");
    }
  }

  /** An exception's message may be the name of the file alone. */
  private static String reason(IOException failure) {
    if (failure instanceof AccessDeniedException) {
      return "permission denied";
    }
    return failure instanceof FileSystemException system && system.getReason() != null
        ? system.getReason()
        : "nothing can be written there";
  }

  private ParameterException wrong(String reason) {
    return new ParameterException(spec.commandLine(), reason);
  }

  private void check(String flag, long value, long min, long max) {
    if (value < min || value > max) {
      throw wrong(flag + "=" + value + " is not within " + min + " and " + max);
    }
  }

  /** Whatever happens: a directory that stays is named. */
  private boolean runAndTidy(Path directory) throws IOException, InterruptedException {
    boolean stays = true;
    try {
      boolean good = run(directory);
      if (good && out == null) {
        Directories.delete(directory);
        stays = false;
      }
      return good;
    } finally {
      if (stays) {
        screen.line("Data and output of all processes: " + directory);
      }
    }
  }

  private boolean run(Path directory) throws IOException, InterruptedException {
    long chosen = seed == null ? System.nanoTime() & 0xffff_ffffL : seed;
    Demo.Plan plan =
        new Demo.Plan(
            directory,
            accounts,
            processes,
            threads,
            isolation.isSerializable() ? Isolation.SERIALIZABLE : Isolation.SNAPSHOT,
            Duration.ofSeconds(seconds),
            Duration.ofSeconds(killEvery),
            chosen);
    // What the clients in this process say of their connections would disturb the view.
    ((Logger) LoggerFactory.getLogger("io.retso")).setLevel(Level.WARN);
    // Its HBase lives as long as the view: no power failure is meant to be survived.
    ((Logger) LoggerFactory.getLogger(TableRisks.class)).setLevel(Level.ERROR);
    screen.line("Starting ZooKeeper, BookKeeper, the oracle and HBase, about twenty seconds ...");
    try (LocalCluster cluster = LocalCluster.in(directory).oracleFlags("--rows=1M").start();
        HBaseStore store = new HBaseStore(cluster.configuration(), cluster.oracle())) {
      try (Demo demo = new Demo(plan, cluster, store)) {
        long money = demo.open();
        screen.line(
            String.format(
                Locale.ROOT,
                "A bank with %d accounts in two tables, %,d in all; %s in %s; seed %d.",
                accounts,
                money,
                count(processes * threads, "teller", "tellers"),
                count(processes, "process", "processes"),
                chosen));
        int columns = spec.usageMessage().width(); // the terminal's, as for the help
        demo.run(new LiveView(screen, System.console() != null, columns));
        return verdict(demo, store);
      }
    }
  }

  private static String count(int number, String one, String many) {
    return number + " " + (number == 1 ? one : many);
  }

  private boolean verdict(Demo demo, HBaseStore store) throws IOException {
    Verdict verdict = demo.verdict();
    screen.line("");
    printTransfers(demo.report());
    printAudits(demo.audits());
    boolean swept = sweep(store);
    verdict.lines().forEach(screen::line);
    return swept && verdict.isGood();
  }

  /** Whether it went well; a failure does not keep the verdict from being printed. */
  private boolean sweep(HBaseStore store) {
    try {
      SweepResult sweep = store.sweep();
      screen.line(
          String.format(
              Locale.ROOT,
              "The dead left %,d marks behind: %,d cleaned up, %,d of transactions that will be"
                  + " aborted at their time limit.",
              sweep.marks(),
              sweep.cleaned(),
              sweep.open()));
      return true;
    } catch (IOException e) {
      screen.line("What the dead left behind could not be cleaned up: " + ErrorText.of(e));
      return false;
    }
  }

  private void printTransfers(TellerReport report) {
    screen.line(
        String.format(
            Locale.ROOT,
            "%,d transfers acknowledged (p50 %.1f ms, p99 %.1f ms), %,d refused after a conflict,"
                + " %,d without an answer because their teller ended.",
            report.done().size(),
            report.millisAt(50),
            report.millisAt(99),
            report.conflicts().size(),
            report.withoutAnswer()));
    long others = report.failed().size() + report.unknown() + report.broken();
    if (others > 0) {
      screen.line(
          String.format(
              Locale.ROOT,
              "%,d transfers failed before they were committed, %,d are of unknown outcome, %,d"
                  + " broke; the last one: %s",
              report.failed().size(),
              report.unknown(),
              report.broken(),
              report.lastFailure()));
    }
  }

  private void printAudits(AuditReport audits) {
    screen.line(
        String.format(
            Locale.ROOT,
            "%,d audits succeeded, %,d failed%s.",
            audits.succeeded(),
            audits.failed(),
            audits.failed() == 0 ? "" : "; the last of those: " + audits.lastFailure()));
  }
}
