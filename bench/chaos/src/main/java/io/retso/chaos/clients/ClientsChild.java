package io.retso.chaos.clients;

import com.fasterxml.jackson.databind.ObjectMapper;
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
 * A {@link ClientsProcess} that ends with this process: commands go to it, answers come back. For
 * one thread, except for what it says of leaders.
 */
final class ClientsChild implements AutoCloseable {
  private static final Duration ANSWER_MAX = Duration.ofMinutes(10);
  private static final Duration EXIT_MAX = Duration.ofSeconds(20);
  private static final int LINES_SHOWN = 15;
  private static final String ENDED = "ended";

  private final ClientsPlan plan;
  private final Process process;
  private final OutputStream commands;
  private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();
  private final List<Clients.Leader> leaders = new ArrayList<>();

  /**
   * Starts it; its first answer says that it works.
   *
   * @param enter the words before a command that is to run on its host
   */
  ClientsChild(List<String> enter, ClientsPlan plan) throws IOException {
    this.plan = plan;
    Path file = Files.createDirectories(Path.of(plan.directory())).resolve("plan.json");
    new ObjectMapper().writeValue(file.toFile(), plan);
    List<String> command = new ArrayList<>(enter);
    command.addAll(
        JavaCommand.of(
            List.of(
                "-Xmx" + plan.heapMebibytes() + "m",
                "-Dretso.log=ERROR",
                "-Dretso.log.others=ERROR"),
            ClientsProcess.class.getName(),
            List.of(file.toString())));
    process =
        new ProcessBuilder(command)
            .redirectError(ProcessBuilder.Redirect.appendTo(log().toFile()))
            .start();
    commands = process.getOutputStream();
    Thread reader = new Thread(this::listen, "clients");
    reader.setDaemon(true);
    reader.start();
  }

  private Path log() {
    return Path.of(plan.directory(), "clients.txt");
  }

  /** What it does. */
  ClientsPlan plan() {
    return plan;
  }

  private void listen() {
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.startsWith(ClientsProcess.LEADER)) {
          String[] words = line.split(" ");
          add(new Clients.Leader(words[1], Long.parseLong(words[2]), Long.parseLong(words[3])));
        } else {
          answers.add(line);
        }
      }
    } catch (IOException e) {
      // Its end, too.
    }
    answers.add(ENDED);
  }

  private synchronized void add(Clients.Leader leader) {
    leaders.add(leader);
  }

  /** Servers that began to lead so far, in order. */
  synchronized List<Clients.Leader> leaders() {
    return List.copyOf(leaders);
  }

  /** Sends a command; {@link #answer} has its answer. */
  void send(String command) throws IOException {
    commands.write((command + "\n").getBytes(StandardCharsets.UTF_8));
    commands.flush();
  }

  /** Waits for the answer to the oldest command that has none. */
  String answer() throws IOException, InterruptedException {
    String answer = answers.poll(ANSWER_MAX.toSeconds(), TimeUnit.SECONDS);
    if (answer == null || answer.equals(ENDED)) {
      throw new ClusterException(
          "the clients " + (answer == null ? "hang" : "ended") + ". They said:\n" + lastLines(),
          null);
    }
    return answer;
  }

  /** Sends a command, and waits for its answer. */
  String ask(String command) throws IOException, InterruptedException {
    send(command);
    return answer();
  }

  private String lastLines() throws IOException {
    List<String> lines = Files.readAllLines(log());
    return String.join("\n", lines.subList(Math.max(0, lines.size() - LINES_SHOWN), lines.size()));
  }

  /** Ends the work, reads everything, and ends the process. */
  ClientsOutcome stop() throws IOException, InterruptedException {
    ask(ClientsProcess.STOP);
    process.waitFor(EXIT_MAX.toMillis(), TimeUnit.MILLISECONDS);
    return new ObjectMapper()
        .readValue(
            Path.of(plan.directory(), ClientsProcess.OUTCOME).toFile(), ClientsOutcome.class);
  }

  /** Ends the process, whatever it does. */
  @Override
  public void close() {
    process.destroyForcibly();
  }
}
