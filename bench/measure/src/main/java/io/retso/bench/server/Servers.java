package io.retso.bench.server;

import io.retso.cluster.Directories;
import io.retso.report.BenchException;
import io.retso.report.RunFigures.Target;
import io.retso.text.ErrorText;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The servers of a benchmark: child processes in a fresh directory, or one that runs already. When
 * this is closed, and at the latest when this process ends, the children are gone and so is their
 * data.
 */
public final class Servers implements AutoCloseable {
  private static final Pattern DATA = Pattern.compile("server-[a-z]+-(\\d{1,18})");

  private final Map<Target, ServerProcess> children = new EnumMap<>(Target.class);
  private final List<Path> data = new ArrayList<>();
  private final ServersPlan plan;
  private volatile boolean stopping;
  private final Thread hook = new Thread(this::stop, "stop-servers");

  private Servers(ServersPlan plan) {
    this.plan = plan;
  }

  /** Starts what is asked for, and waits until it serves. */
  public static Servers start(ServersPlan plan) throws BenchException, InterruptedException {
    Servers servers = new Servers(plan);
    Runtime.getRuntime().addShutdownHook(servers.hook);
    try {
      if (plan.remote().isEmpty()) {
        servers.deleteLeftovers();
        servers.startChildren();
      }
      return servers;
    } catch (BenchException | InterruptedException | RuntimeException e) {
      servers.close();
      throw e;
    }
  }

  /** Data of benchmarks that were killed. */
  private void deleteLeftovers() {
    try (Stream<Path> files = Files.list(plan.directory())) {
      for (Path file : files.toList()) {
        Matcher name = DATA.matcher(file.getFileName().toString());
        if (name.matches() && ProcessHandle.of(Long.parseLong(name.group(1))).isEmpty()) {
          delete(file);
        }
      }
    } catch (IOException | UncheckedIOException e) {
      System.err.println("retso bench: " + plan.directory() + ": " + ErrorText.of(e));
    }
  }

  private void startChildren() throws BenchException, InterruptedException {
    if (plan.logOff()) {
      startChild(Target.LOG_OFF);
    }
    if (plan.logOn()) {
      startChild(Target.LOG_ON);
    }
    for (ServerProcess child : List.copyOf(children.values())) {
      child.awaitReady();
    }
  }

  private synchronized void startChild(Target target) throws BenchException {
    Path directory =
        plan.directory().resolve("server-" + log(target) + "-" + ProcessHandle.current().pid());
    data.add(directory);
    children.put(target, ServerProcess.start(log(target), directory, plan));
  }

  private static String log(Target target) {
    return target == Target.LOG_ON ? "bookkeeper" : "memory";
  }

  /**
   * Kills a child as a crash would, starts it on its data, and returns the time until it serves.
   */
  public long killAndRestart(Target target) throws BenchException, InterruptedException {
    ServerProcess killed = child(target);
    killed.kill();
    long before = System.nanoTime();
    synchronized (this) {
      children.put(target, ServerProcess.start(log(target), killed.directory(), plan));
    }
    child(target).awaitReady();
    return System.nanoTime() - before;
  }

  /** The targets of runs, without echo. */
  public List<Target> targets() {
    return plan.remote().isPresent() ? List.of(Target.REMOTE) : List.copyOf(children.keySet());
  }

  /** Where a target listens; any server echoes. */
  public InetSocketAddress address(Target target) {
    return plan.remote().orElseGet(() -> child(target).address());
  }

  /** The child behind a target; {@code null} if it runs elsewhere. */
  public ServerProcess child(Target target) {
    if (target == Target.ECHO && !children.isEmpty()) {
      return children.values().iterator().next();
    }
    return children.get(target);
  }

  /**
   * Waits for a part of a load.
   *
   * @throws BenchException if the load fails; with what the server said
   */
  public <T> T await(Target target, Future<T> part) throws BenchException, InterruptedException {
    try {
      return part.get();
    } catch (ExecutionException e) {
      throw failure(target, "the load failed", e.getCause());
    }
  }

  /** What is to be said of a load that failed, with what the server said. */
  public BenchException failure(Target target, String what, Throwable cause) {
    if (stopping) {
      return new BenchException("interrupted; the servers and their data are gone");
    }
    ServerProcess child = child(target);
    String server = child == null ? "" : ". The server said:" + child.lastLines();
    return new BenchException(what + ": " + ErrorText.of(cause) + server, cause);
  }

  @Override
  public void close() {
    stop();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The process is ending: the hook runs, or has run.
    }
  }

  private void stop() {
    stopping = true;
    stopAll();
  }

  private synchronized void stopAll() {
    children.values().forEach(ServerProcess::close);
    data.forEach(Servers::delete);
    data.clear();
  }

  private static void delete(Path directory) {
    try {
      Directories.delete(directory);
    } catch (IOException e) {
      System.err.println(
          "retso bench: " + directory + " cannot be deleted: " + ErrorText.of(e) + "; delete it");
    }
  }
}
