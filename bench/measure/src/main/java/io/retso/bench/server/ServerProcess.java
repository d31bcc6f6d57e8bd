package io.retso.bench.server;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.retso.cluster.ChildProcess;
import io.retso.cluster.ClusterException;
import io.retso.report.BenchException;
import io.retso.text.ErrorText;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A {@code retso server} as a child process. */
public final class ServerProcess implements AutoCloseable {
  private final ChildProcess process;
  private final Path directory;
  private InetSocketAddress address;
  private int httpPort;

  private ServerProcess(ChildProcess process, Path directory) {
    this.process = process;
    this.directory = directory;
  }

  /**
   * Starts a server, and returns without waiting until it is ready.
   *
   * @param log {@code memory} or {@code bookkeeper}
   * @param directory for its data; its output goes to a file beside it
   */
  static ServerProcess start(String log, Path directory, ServersPlan plan) throws BenchException {
    Path ready = directory.resolve("ready.json");
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "server",
                "--log=" + log,
                "--rows=" + plan.mapRows(),
                "--listen-port=0",
                "--http-port=0",
                "--data-dir=" + directory,
                "--ready-file=" + ready));
    arguments.addAll(plan.flags());
    try {
      ChildProcess process =
          ChildProcess.start(
              "the server",
              directory.resolveSibling("server-" + log + ".txt"),
              ready,
              plan.jvmOptions(),
              plan.mainClass(),
              arguments);
      return new ServerProcess(process, directory);
    } catch (ClusterException e) {
      throw new BenchException(e.getMessage() + " with --out", e);
    }
  }

  /** Waits until the server serves. */
  public void awaitReady() throws BenchException, InterruptedException {
    try {
      JsonNode facts = new ObjectMapper().readTree(process.awaitReady().toFile());
      address = new InetSocketAddress(InetAddress.getLoopbackAddress(), facts.get("port").asInt());
      httpPort = facts.get("httpPort").asInt();
    } catch (ClusterException e) {
      throw new BenchException(e.getMessage(), e);
    } catch (IOException e) {
      throw new BenchException("the server's ready file cannot be read: " + ErrorText.of(e), e);
    }
  }

  /** The last lines of its output, indented. */
  public String lastLines() {
    return process.lastLines();
  }

  /** Where clients connect. */
  public InetSocketAddress address() {
    return address;
  }

  /** The port of its metrics. */
  public int httpPort() {
    return httpPort;
  }

  /** Where its data is. */
  public Path directory() {
    return directory;
  }

  /** Its process id. */
  public long pid() {
    return process.pid();
  }

  /** CPU time used so far. */
  public Duration cpuTime() {
    return process.cpuTime();
  }

  /** Whether it runs. */
  public boolean isAlive() {
    return process.isAlive();
  }

  /** Kills the server, as a crash would. */
  void kill() {
    process.kill();
  }

  /** Stops the server: cleanly if it does so in time, at any rate. */
  @Override
  public void close() {
    process.close();
  }
}
