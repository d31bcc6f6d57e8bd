package io.retso.chaos.clients;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.retso.chaos.load.Successes;
import io.retso.cluster.ClusterException;
import io.retso.cluster.JavaCommand;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * The clients of a cluster, as a child that ends with this process. For one thread, except for what
 * it says of leaders.
 */
public final class Clients implements AutoCloseable {
  static final String LEADER = "leader";
  static final String DONE = "done";
  static final String GAPS = "gaps";
  static final String FAULT = "fault";
  static final String OVER = "over";
  static final String UNCLEANED = "uncleaned";
  static final String HAND_OVER = "handover";
  static final String IDLE = "idle";
  static final String TIMES = "times";
  static final String STOP = "stop";

  private static final Duration ANSWER_MAX = Duration.ofMinutes(10);
  private static final Duration EXIT_MAX = Duration.ofSeconds(20);
  private static final int LINES_SHOWN = 15;
  private static final String ENDED = "ended";

  /** Answers that were sent before a fault have arrived by then. */
  private static final long IN_FLIGHT_MILLIS = 150;

  private final Process process;
  private final Path directory;
  private final OutputStream commands;
  private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();
  private final List<Leader> leaders = new ArrayList<>();

  /** Gaps of the present fault, if they were measured while it went on; else null. */
  private Gaps measured;

  /**
   * A server that began to lead, as a client saw it.
   *
   * @param nanos when, of {@link System#nanoTime}
   */
  public record Leader(String address, long epoch, long nanos) {}

  /**
   * For how long nothing was answered while a fault had its effect.
   *
   * @param isOver whether all clients were served again a minute later
   */
  public record Gaps(Successes.Gaps begin, Successes.Gaps commit, boolean isOver) {}

  private Clients(Process process, Path directory) {
    this.process = process;
    this.directory = directory;
    this.commands = process.getOutputStream();
    Thread reader = new Thread(this::listen, "clients");
    reader.setDaemon(true);
    reader.start();
  }

  /**
   * Starts them, and returns when they work.
   *
   * @param enter the words before a command that is to run on their host
   * @param heapMebibytes of their process
   */
  public static Clients start(List<String> enter, ClientsPlan plan, int heapMebibytes)
      throws IOException, InterruptedException {
    Path directory = Files.createDirectories(Path.of(plan.directory()));
    Path file = directory.resolve("plan.json");
    new ObjectMapper().writeValue(file.toFile(), plan);
    List<String> command = new ArrayList<>(enter);
    command.addAll(
        JavaCommand.of(
            List.of("-Xmx" + heapMebibytes + "m", "-Dretso.log=ERROR", "-Dretso.log.others=ERROR"),
            ClientsProcess.class.getName(),
            List.of(file.toString())));
    Process process =
        new ProcessBuilder(command)
            .redirectError(ProcessBuilder.Redirect.appendTo(log(directory).toFile()))
            .start();
    Clients clients = new Clients(process, directory);
    try {
      clients.answer();
      return clients;
    } catch (IOException | InterruptedException | RuntimeException e) {
      process.destroyForcibly();
      throw e;
    }
  }

  private static Path log(Path directory) {
    return directory.resolve("clients.txt");
  }

  private void listen() {
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.startsWith(LEADER)) {
          String[] words = line.split(" ");
          add(new Leader(words[1], Long.parseLong(words[2]), Long.parseLong(words[3])));
        } else {
          answers.add(line);
        }
      }
    } catch (IOException e) {
      // Its end, too.
    }
    answers.add(ENDED);
  }

  private synchronized void add(Leader leader) {
    leaders.add(leader);
  }

  /** Whoever began to lead so far, in order. */
  public synchronized List<Leader> leaders() {
    return List.copyOf(leaders);
  }

  private void send(String command) throws IOException {
    commands.write((command + "\n").getBytes(StandardCharsets.UTF_8));
    commands.flush();
  }

  private String answer() throws IOException, InterruptedException {
    String answer = answers.poll(ANSWER_MAX.toSeconds(), TimeUnit.SECONDS);
    if (answer == null || answer.equals(ENDED)) {
      throw new ClusterException(
          "the clients " + (answer == null ? "hang" : "ended") + ". They said:\n" + lastLines(),
          null);
    }
    return answer;
  }

  private String lastLines() throws IOException {
    List<String> lines = Files.readAllLines(log(directory));
    return String.join("\n", lines.subList(Math.max(0, lines.size() - LINES_SHOWN), lines.size()));
  }

  /** A fault begins. */
  public void fault() throws IOException, InterruptedException {
    send(FAULT);
    answer();
  }

  /** Waits until all clients are served though the fault goes on; what comes later is no gap. */
  public void measure() throws IOException, InterruptedException {
    Thread.sleep(IN_FLIGHT_MILLIS);
    measured = gaps();
  }

  /** It is over, or will be by itself: waits until all clients are served again. */
  public Gaps over() throws IOException, InterruptedException {
    Gaps last = gaps();
    Gaps first = measured == null ? last : measured;
    measured = null;
    return new Gaps(first.begin, first.commit, first.isOver && last.isOver);
  }

  private Gaps gaps() throws IOException, InterruptedException {
    send(OVER);
    String[] words = answer().split(" ");
    return new Gaps(
        new Successes.Gaps(Long.parseLong(words[1]), Long.parseLong(words[2])),
        new Successes.Gaps(Long.parseLong(words[3]), Long.parseLong(words[4])),
        Boolean.parseBoolean(words[5]));
  }

  /** Commits so many transactions that nobody cleans up. */
  public void leaveUncleaned(long count) throws IOException, InterruptedException {
    send(UNCLEANED + " " + count);
    answer();
  }

  /**
   * Asks a server to hand over.
   *
   * @param http its address for HTTP
   * @return what it said
   * @throws ClusterException if it refuses
   */
  public String handOver(String http) throws IOException, InterruptedException {
    send(HAND_OVER + " " + http);
    String answer = answer();
    if (!answer.startsWith(DONE)) {
      throw new ClusterException(answer, null);
    }
    return answer.substring(DONE.length()).strip();
  }

  /**
   * A begin after an idle time.
   *
   * @param begin nanoseconds
   * @param echo of the same frames, answered without an oracle, after as long a time
   */
  public record Idle(long begin, long echo) {}

  /** Is idle for a time, and then begins; the load's rate is to be 0. */
  public Idle idle(long millis) throws IOException, InterruptedException {
    send(IDLE + " " + millis);
    String[] words = answer().split(" ");
    return new Idle(Long.parseLong(words[1]), Long.parseLong(words[2]));
  }

  /** Ends the work, reads everything, and ends the process. */
  public ClientsOutcome stop() throws IOException, InterruptedException {
    send(STOP);
    answer();
    process.waitFor(EXIT_MAX.toMillis(), TimeUnit.MILLISECONDS);
    return new ObjectMapper()
        .readValue(directory.resolve(ClientsProcess.OUTCOME).toFile(), ClientsOutcome.class);
  }

  /** Ends the process, whatever it does. */
  @Override
  public void close() {
    process.destroyForcibly();
  }
}
