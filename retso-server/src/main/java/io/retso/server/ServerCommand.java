package io.retso.server;

import io.retso.log.LogException;
import io.retso.server.commands.CommandLines;
import io.retso.server.commands.ExitCode;
import io.retso.server.commands.StartFailure;
import io.retso.server.commands.UsualExitCodes;
import io.retso.server.config.ConfigException;
import io.retso.server.config.MemoryPlan;
import io.retso.server.config.ServerConfig;
import io.retso.server.config.Settings;
import io.retso.server.observe.Json;
import io.retso.text.ErrorText;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.IModelTransformer;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code retso server}: runs a server until it fails or the process is asked to end. Every setting
 * is a flag; see {@link ExitCode} for what the process returns.
 */
@Command(
    name = "server",
    description = {
      "Runs a transaction status oracle.",
      "",
      "Without flags it listens on this machine only, and keeps its log on a bookie of its own in"
          + " ./retso-data.",
      ""
    },
    sortOptions = false,
    usageHelpAutoWidth = true,
    abbreviateSynopsis = true,
    exitCodeListHeading = "%nExit codes:%n",
    modelTransformer = ServerCommand.Flags.class)
public final class ServerCommand implements Callable<Integer> {
  private static final Logger LOG = LoggerFactory.getLogger(ServerCommand.class);

  /** A flag for every setting, and what the process may end with. */
  static final class Flags implements IModelTransformer {
    @Override
    public CommandSpec transform(CommandSpec command) {
      Map<String, String> codes = new LinkedHashMap<>();
      for (ExitCode code : ExitCode.values()) {
        codes.put(Integer.toString(code.number()), code.meaning());
      }
      codes.put("130, 143", "A clean shutdown after SIGINT or SIGTERM.");
      SettingFlags.add(command, Settings.ALL);
      command.usageMessage().exitCodeList(codes);
      return new UsualExitCodes().transform(command);
    }
  }

  @Spec private CommandSpec spec;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Shows this help.")
  private boolean help;

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description = "Reads settings from a properties file; flags override it.")
  private Path configFile;

  @Option(
      names = "--ready-file",
      paramLabel = "FILE",
      description =
          "Writes pid, ports, epoch and role to this file as JSON, once the server is ready;"
              + " removes it at the end.")
  private Path readyFile;

  @Option(
      names = "--print-heap",
      description =
          "Starts nothing; prints the heap limit that these settings need, a number of MiB, as a"
              + " launcher gives it to the JVM (-Xmx).")
  private boolean printHeap;

  /** Runs this command alone, without the launcher. */
  public static void main(String[] arguments) {
    CommandLines.main(new ServerCommand(), arguments);
  }

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    try {
      ServerConfig config = SettingFlags.read(spec, configFile);
      if (printHeap) {
        out.println(MemoryPlan.of(config).recommendedMebibytes());
        out.flush();
        return ExitCode.CLEAN.number();
      }
      return serve(config, out);
    } catch (Exception | Error e) { // whatever it is, it is said in one line
      StartFailure failure = StartFailure.of(e);
      if (failure.isKnown()) {
        LOG.debug("start", e);
      } else {
        LOG.error("the start failed", e);
      }
      return failed(failure.code(), failure.line());
    }
  }

  /**
   * Before each connect ZooKeeper's client looks up the name of the server's address, for Kerberos.
   * Where that is not answered, it takes longer than a session lasts.
   */
  private static void lookUpNoNames() {
    if (System.getProperty("java.security.auth.login.config") == null) {
      System.getProperties().putIfAbsent("zookeeper.sasl.client", "false");
    }
  }

  private int serve(ServerConfig config, PrintWriter out)
      throws ConfigException, IOException, LogException, InterruptedException {
    prepareReadyFile();
    lookUpNoNames();
    try (RetsoServer server = RetsoServer.start(config)) {
      announce(server, out);
      Thread hook = new Thread(() -> stopped(server, out), "shutdown");
      Runtime.getRuntime().addShutdownHook(hook);
      Optional<RetsoServer.Failure> failure = server.awaitTermination();
      if (failure.isEmpty()) {
        return ExitCode.CLEAN.number();
      }
      Runtime.getRuntime().removeShutdownHook(hook);
      removeReadyFile();
      ExitCode code = failure.get().code(); // what happened was logged
      return failed(code, "ends with exit code " + code.number() + " (" + code + ")");
    }
  }

  private int failed(ExitCode code, String message) {
    PrintWriter err = spec.commandLine().getErr();
    err.println("retso server: " + message);
    err.flush();
    return code.number();
  }

  private void announce(RetsoServer server, PrintWriter out) throws IOException {
    server.description().forEach(out::println);
    out.flush();
    if (readyFile != null) {
      Map<String, Object> ready = new LinkedHashMap<>();
      ready.put("pid", ProcessHandle.current().pid());
      ready.put("port", server.port());
      ready.put("httpPort", server.httpPort());
      ready.put("epoch", server.epoch());
      ready.put("role", server.leads() ? "leader" : "standby");
      writeReadyFile(Json.of(ready));
    }
  }

  /** A program that waits for the file sees all of it or nothing. */
  private void writeReadyFile(String text) throws IOException {
    Files.writeString(partOfReadyFile(), text);
    Files.move(
        partOfReadyFile(),
        readyFile.toAbsolutePath(),
        StandardCopyOption.ATOMIC_MOVE,
        StandardCopyOption.REPLACE_EXISTING);
  }

  private Path partOfReadyFile() {
    Path target = readyFile.toAbsolutePath();
    return target.resolveSibling(target.getFileName() + ".part");
  }

  /** What cannot be written is known before anything is started. */
  private void prepareReadyFile() throws IOException {
    if (readyFile == null) {
      return;
    }
    try {
      Files.deleteIfExists(readyFile);
      Files.writeString(partOfReadyFile(), "");
      Files.delete(partOfReadyFile());
    } catch (IOException e) {
      throw new IOException(
          "the ready file cannot be written: "
              + ErrorText.of(e)
              + "; choose another place with --ready-file",
          e);
    }
  }

  private void removeReadyFile() {
    try {
      if (readyFile != null) {
        Files.deleteIfExists(readyFile);
      }
    } catch (IOException e) {
      LOG.warn("{} cannot be removed: {}", readyFile, e.toString());
    }
  }

  /** In the shutdown hook. */
  private void stopped(RetsoServer server, PrintWriter out) {
    server.close();
    removeReadyFile();
    out.println("retso server: stopped; everything that was acknowledged is in the log");
    out.flush();
  }
}
