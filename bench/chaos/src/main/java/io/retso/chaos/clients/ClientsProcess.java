package io.retso.chaos.clients;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.retso.chaos.load.Load;
import io.retso.chaos.load.Pauses;
import io.retso.chaos.load.Successes;
import io.retso.chaos.work.Bank;
import io.retso.client.OracleMembers;
import io.retso.text.ErrorText;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Clients as a process of their own. Its standard input has commands, a line each:
 *
 * <pre>
 *   leaders       says which servers began to lead
 *   fault         a fault begins: gaps are measured from now on
 *   over          it is over: when every client has its answers again, the gaps are said
 *   rate TPS      another load from now on
 *   committed     says how many transactions of the load were answered
 *   uncleaned FROM COUNT  commits transactions that are not cleaned up
 *   books         says how many acknowledged transfers are missing, and what was wrong
 *   handover HTTP has a server hand over
 *   ready HTTP... says how many of these servers lead, or could take over
 *   idle MILLIS   is idle for so long, then times a begin, and an echo of one
 *   stop          ends the work, reads everything, says the outcome
 * </pre>
 *
 * Each is answered by a line of JSON on its standard output. If the input ends without a stop, so
 * does the process.
 */
final class ClientsProcess {
  static final String LEADERS = "leaders";
  static final String FAULT = "fault";
  static final String OVER = "over";
  static final String RATE = "rate";
  static final String COMMITTED = "committed";
  static final String UNCLEANED = "uncleaned";
  static final String BOOKS = "books";
  static final String HAND_OVER = "handover";
  static final String READY = "ready";
  static final String IDLE = "idle";
  static final String STOP = "stop";

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int LEADERS_MAX = 1_000;
  private static final Duration HAND_OVER_MAX = Duration.ofSeconds(20);
  private static final Duration HEALTH_MAX = Duration.ofSeconds(2);
  private static final long BACK_MILLIS_MAX = 60_000;
  private static final long POLL_MILLIS = 5;
  private static final long WATCH_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
  private static final int REPORTED_AT_ONCE = 5;

  private final ClientsPlan plan;
  private final HttpClient http;
  private final Successes begins;
  private final Successes commits;
  private final Pauses pauses = new Pauses();

  /** Guarded by itself. */
  private final Deque<Clients.Leader> leaders = new ArrayDeque<>();

  /** Null if there is none. */
  private final Load load;

  /** Null if nothing is judged. */
  private final Workloads work;

  private IdleBegin idle;

  /** How many of the wrong answers were reported. */
  private int reported;

  private ClientsProcess(ClientsPlan plan) throws IOException {
    this.plan = plan;
    HttpClient.Builder builder = HttpClient.newBuilder().connectTimeout(HEALTH_MAX);
    if (plan.keys() != null) {
      builder.sslContext(plan.files().orElseThrow().ofOperator());
    }
    http = builder.build();
    int clients = plan.load() == null ? 0 : plan.load().clients();
    begins = new Successes(clients, plan.origin());
    commits = new Successes(clients, plan.origin());
    load = plan.load() == null ? null : new Load(plan::client, plan.load(), begins, commits);
    work = plan.work() == null ? null : new Workloads(plan);
  }

  /** The file of a {@link ClientsPlan}. */
  public static void main(String[] arguments) {
    try {
      ClientsPlan plan = JSON.readValue(Path.of(arguments[0]).toFile(), ClientsPlan.class);
      ClientsProcess process = new ClientsProcess(plan);
      if (process.load != null) {
        process.load.start();
        Thread watch = new Thread(process::watch, "leaders");
        watch.setDaemon(true);
        watch.start();
      }
      process.obey();
      System.exit(0);
    } catch (IOException | InterruptedException | RuntimeException e) {
      e.printStackTrace(); // the parent shows the last lines
      System.exit(1);
    }
  }

  /** Notes each leader that the clients of the load follow. */
  private void watch() {
    long epoch = 0;
    while (true) {
      OracleMembers now = load.members();
      if (!now.leader().isEmpty() && now.epoch() > epoch) {
        epoch = now.epoch();
        synchronized (leaders) {
          leaders.add(new Clients.Leader(now.leader(), epoch, System.nanoTime()));
          if (leaders.size() > LEADERS_MAX) {
            leaders.remove();
          }
        }
      }
      LockSupport.parkNanos(WATCH_NANOS);
    }
  }

  private List<Clients.Leader> leaders() {
    synchronized (leaders) {
      return List.copyOf(leaders);
    }
  }

  private static void answer(Object with) throws IOException {
    System.out.println(JSON.writeValueAsString(with));
    System.out.flush();
  }

  private void obey() throws IOException, InterruptedException {
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    answer(true);
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      String[] words = line.split(" ");
      answer(
          switch (words[0]) {
            case LEADERS -> leaders();
            case FAULT -> fault();
            case OVER -> over();
            case RATE -> {
              load.rate(Double.parseDouble(words[1]));
              yield true;
            }
            case COMMITTED -> commits.total();
            case UNCLEANED -> {
              load.leaveUncleaned(Long.parseLong(words[1]), Long.parseLong(words[2]));
              yield true;
            }
            case BOOKS -> books();
            case HAND_OVER -> handOver(words[1]);
            case READY -> ready(words);
            case IDLE -> idle(Long.parseLong(words[1]));
            case STOP -> stop();
            default -> throw new IOException("no such command: " + line);
          });
    }
  }

  private String scheme() {
    return plan.keys() == null ? "http://" : "https://";
  }

  /** A standby says that it is well if it could take over. */
  private long ready(String[] words) throws InterruptedException {
    long ready = 0;
    for (String address : List.of(words).subList(1, words.length)) {
      HttpRequest request =
          HttpRequest.newBuilder(URI.create(scheme() + address + "/health"))
              .timeout(HEALTH_MAX)
              .build();
      try {
        boolean isWell =
            http.send(request, HttpResponse.BodyHandlers.discarding()).statusCode()
                == HttpURLConnection.HTTP_OK;
        ready += isWell ? 1 : 0;
      } catch (IOException e) {
        // It does not run, or says nothing.
      }
    }
    return ready;
  }

  /** What is wrong by now; of wrong answers those that were not reported before. */
  private Clients.Books books() throws IOException {
    long lost = work.lost();
    List<String> all = work.violations();
    List<String> next = all.subList(reported, all.size());
    reported = all.size();
    String what = String.join("; ", next.stream().limit(REPORTED_AT_ONCE).toList());
    return new Clients.Books(lost, next.size(), what.replaceAll("\\s+", " "));
  }

  /** A server that hands over, or is slow, may leave a request without an answer. */
  private Clients.Answer handOver(String address) throws InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(scheme() + address + "/handover"))
            .header("X-Retso-Action", "1")
            .timeout(HAND_OVER_MAX)
            .POST(HttpRequest.BodyPublishers.noBody())
            .build();
    try {
      HttpResponse<String> answer = http.send(request, HttpResponse.BodyHandlers.ofString());
      return new Clients.Answer(
          answer.statusCode() == HttpURLConnection.HTTP_OK,
          answer.body().strip().replace('\n', ' '));
    } catch (IOException e) {
      return new Clients.Answer(false, "no answer: " + ErrorText.of(e).replace('\n', ' '));
    }
  }

  private Clients.Idle idle(long millis) throws InterruptedException {
    if (idle == null) {
      idle = new IdleBegin(plan);
    }
    return idle.after(millis);
  }

  private boolean fault() {
    long now = System.nanoTime();
    begins.reset(now);
    commits.reset(now);
    pauses.reset();
    return true;
  }

  private Clients.Gaps over() throws InterruptedException {
    long since = System.nanoTime();
    boolean back = isBackSince(since);
    while (!back && System.nanoTime() - since < BACK_MILLIS_MAX * 1_000_000) {
      Thread.sleep(POLL_MILLIS);
      back = isBackSince(since);
    }
    return new Clients.Gaps(begins.gaps(), commits.gaps(), pauses.longest(), back);
  }

  private boolean isBackSince(long since) {
    return begins.allSince(since) && commits.allSince(since);
  }

  private ClientsOutcome stop() throws IOException, InterruptedException {
    Bank.Outcome bank = null;
    List<String> violations = List.of();
    if (work != null) {
      bank = work.end();
      violations = work.violations();
      work.close();
    }
    if (load != null) {
      load.close();
    }
    return new ClientsOutcome(begins.steps(), commits.steps(), leaders(), bank, violations);
  }
}
