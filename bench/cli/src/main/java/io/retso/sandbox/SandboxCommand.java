package io.retso.sandbox;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.retso.admin.HBaseCommand;
import io.retso.cluster.DeleteAtExit;
import io.retso.cluster.ForcedLogs;
import io.retso.cluster.LocalCluster;
import io.retso.server.BuildVersion;
import io.retso.server.commands.CommandLines;
import io.retso.server.commands.UsualExitCodes;
import io.retso.text.ErrorText;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code retso sandbox}: a cluster for the application that is being written. */
@Command(
    name = "sandbox",
    description = {
      "HBase, an oracle and prepared tables on this machine, until Ctrl-C.",
      "",
      "Prints where they listen, as an application needs it, and writes a hbase-site.xml that says"
          + " the same. Everything listens on the loopback interface only.",
      ""
    },
    mixinStandardHelpOptions = true,
    versionProvider = BuildVersion.class,
    sortOptions = false,
    usageHelpAutoWidth = true,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "1:It did not start, or a part of it ended; the last lines say what.",
      "64:A flag is wrong.",
      "70:An error in ReTSO itself. Please report it.",
      "130, 143:Ended by Ctrl-C (SIGINT) or SIGTERM: nothing runs any more, and what was not to be"
          + " kept is gone."
    },
    modelTransformer = UsualExitCodes.class)
public final class SandboxCommand implements Callable<Integer> {
  private static final int FAILED = 1;
  private static final int PORT_MAX = 65_535;

  /** Some more than its settings need. */
  private static final int ORACLE_HEAP_MB = 384;

  /** A table's name may begin with that of a namespace and a colon. */
  private static final Pattern TABLE = Pattern.compile("(.+):([^:]+)");

  @Spec private CommandSpec spec;

  @Option(
      names = "--table",
      paramLabel = "NAME:FAMILY[,FAMILY...]",
      defaultValue = "accounts:f",
      description =
          "A table to create, if it is not there; may be given several times. Default:"
              + " ${DEFAULT-VALUE}.")
  private List<String> tables;

  @Option(
      names = "--data",
      paramLabel = "DIRECTORY",
      description =
          "Keeps data there: the next sandbox on the directory goes on with it. Default: a"
              + " temporary directory, which is deleted in the end.")
  private Path data;

  @Option(
      names = "--zookeeper-port",
      paramLabel = "PORT",
      description =
          "Where HBase's ZooKeeper listens, 1 to 65535. Default: as the last time in --data,"
              + " otherwise any free port.")
  private Integer zooKeeperPort;

  @Option(
      names = "--oracle-port",
      paramLabel = "PORT",
      description =
          "Where the oracle listens, 1 to 65535. Default: as the last time in --data, otherwise any"
              + " free port.")
  private Integer oraclePort;

  @Override
  public Integer call() throws InterruptedException {
    long began = System.nanoTime();
    requirePort("--zookeeper-port", zooKeeperPort);
    requirePort("--oracle-port", oraclePort);
    tables.forEach(this::parts);
    // A user that waits wants what the command says, not what its clients say of connections.
    ((Logger) LoggerFactory.getLogger("io.retso")).setLevel(Level.WARN);
    Ending ending = new Ending(spec.commandLine().getOut(), data != null);
    try {
      SandboxPorts ports = ports();
      Path directory = data == null ? Files.createTempDirectory("retso-sandbox") : data;
      SandboxFiles files = new SandboxFiles(directory);
      files.open();
      DeleteAtExit exit =
          data == null ? DeleteAtExit.of(directory, ending) : DeleteAtExit.keepingData(ending);
      try (exit) {
        runUntilItEnds(files, ports, ending, began);
      }
    } catch (IOException e) {
      if (!ending.hasBegun()) {
        PrintWriter err = spec.commandLine().getErr();
        err.println("retso sandbox: " + ErrorText.of(e));
        err.flush();
      }
    }
    return FAILED; // a good one runs until a signal ends the process
  }

  private void requirePort(String flag, Integer port) {
    if (port != null && (port < 1 || port > PORT_MAX)) {
      throw wrong(flag + "=" + port + " is not within 1 and " + PORT_MAX);
    }
  }

  /** Name and families of a table. */
  private Matcher parts(String table) {
    Matcher parts = TABLE.matcher(table);
    if (!parts.matches()) {
      throw wrong("--table=" + table + " has no families: write it like accounts:f");
    }
    return parts;
  }

  private ParameterException wrong(String reason) {
    return new ParameterException(spec.commandLine(), reason);
  }

  private SandboxPorts ports() throws IOException {
    SandboxPorts ports = new SandboxPorts(zooKeeperPort, oraclePort);
    if (data == null) {
      return ports.requireFree();
    }
    SandboxFiles files = new SandboxFiles(data);
    if (ports.movesOracle(files)) {
      throw wrong(
          "--oracle-port="
              + oraclePort
              + ": the tables in "
              + data
              + " know their oracle at port "
              + files.oraclePort().getAsInt()
              + ": leave the flag out, or name another directory");
    }
    return ports.orThoseOf(files).requireFree();
  }

  private void runUntilItEnds(SandboxFiles files, SandboxPorts ports, Ending ending, long began)
      throws IOException, InterruptedException {
    boolean served = false;
    try {
      LocalCluster cluster = start(files.directory(), ports);
      ending.owns(cluster);
      Configuration client = cluster.configuration();
      files.write(client);
      prepare(cluster);
      line(SandboxText.ready(files, client, tables, (System.nanoTime() - began) / 1e9));
      line(
          data == null
              ? "Ctrl-C ends it, and deletes its data."
              : "Ctrl-C ends it. Its data stays in " + data + ", for the next sandbox there.");
      served = true;
      throw cluster.awaitFirstEnd().ended();
    } finally {
      if (!ending.hasBegun()) {
        ending.closeCluster();
        line((served ? "Data and output" : "Output") + " of all processes: " + files.directory());
      }
    }
  }

  private LocalCluster start(Path directory, SandboxPorts ports)
      throws IOException, InterruptedException {
    line("Starting the oracle, with a log of its own, and HBase: about twenty seconds ...");
    // Otherwise HBase would promise less than the oracle, and transactions would warn of that.
    return ForcedLogs.ALL
        .in(LocalCluster.in(directory))
        .oracleFlags("--rows=1M")
        .oracleHeapMb(ORACLE_HEAP_MB)
        .zooKeeperPort(ports.zooKeeper())
        .oraclePort(ports.oracle())
        .progress(this::line)
        .start();
  }

  /** What an operator does with each table of a cluster, once. */
  private void prepare(LocalCluster cluster) throws IOException {
    for (String table : tables) {
      Matcher parts = parts(table);
      int code =
          CommandLines.of(new HBaseCommand())
              .setOut(spec.commandLine().getOut())
              .setErr(spec.commandLine().getErr())
              .execute(
                  "prepare",
                  parts.group(1),
                  "--create",
                  "--families=" + parts.group(2),
                  "--zookeeper=" + cluster.zooKeeper(),
                  "--oracle=" + cluster.oracle());
      if (code != 0) {
        throw new IOException("table " + parts.group(1) + " cannot be prepared, see above");
      }
    }
  }

  private void line(String text) {
    PrintWriter out = spec.commandLine().getOut();
    out.println(text);
    out.flush();
  }
}
