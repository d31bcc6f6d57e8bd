package io.retso.chaos.rollout;

import io.retso.chaos.load.Successes;
import io.retso.client.ClientSecurity;
import io.retso.client.ClientSecurity.Mode;
import io.retso.client.OracleClient;
import io.retso.client.OracleClientBuilder;
import io.retso.client.OracleException;
import io.retso.client.OracleException.Category;
import io.retso.cluster.SecuredFiles;
import io.retso.member.LeaderWatch;
import io.retso.report.Table;
import io.retso.report.Unit;
import io.retso.text.ErrorText;
import io.retso.verify.lists.Findings;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The steps of docs/security.md, forth and back. Leaders are handed over and killed where members
 * differ in what they ask. After each step {@code retso status --clients} of every member has to
 * show each application as it is.
 */
public final class Rollout implements AutoCloseable {
  /** How many there are. */
  public static final int STEPS = 15;

  private static final int APPLICATIONS = 4;
  private static final Duration REQUEST_MAX = Duration.ofSeconds(60);
  private static final Duration PROBE_MAX = Duration.ofSeconds(20);
  private static final String STRICT = "strict";
  private static final String STRANGER = "stranger";
  private static final double MILLI = 1e6;

  private final Oracles oracles;
  private final SecuredFiles files;
  private final Fleet fleet;
  private final PrintWriter out;
  private final long seconds;
  private final Successes commits = new Successes(APPLICATIONS, System.nanoTime());
  private final List<String> violations = new CopyOnWriteArrayList<>();
  private final Findings findings = violations::add;
  private final List<Application> applications = new ArrayList<>();
  private final Table table =
      Table.of(
          "",
          Table.words("step"),
          Table.numbers(Unit.RATIO, "seconds"),
          Table.numbers(Unit.COUNT, "commits"),
          Table.numbers(Unit.MILLIS, "none for, ms"),
          Table.numbers(Unit.MILLIS, "one client, ms"));

  /** Requires TLS at all times. */
  private final OracleClient strict;

  /** Something that an operator does. */
  private interface Step {
    void take() throws IOException, InterruptedException;
  }

  private Rollout(Oracles oracles, SecuredFiles files, long seconds, PrintWriter out) {
    this.oracles = oracles;
    this.files = files;
    this.out = out;
    this.seconds = seconds;
    for (int i = 0; i < APPLICATIONS; i++) {
      applications.add(
          new Application(
              i,
              (name, security) -> client(oracles, name, security, REQUEST_MAX),
              commits,
              findings));
    }
    fleet = new Fleet(oracles, files, applications.get(0)::leader);
    strict = client(oracles, STRICT, Optional.of(files.security()), PROBE_MAX);
  }

  private static OracleClient client(
      Oracles oracles, String name, Optional<ClientSecurity> security, Duration requestMax) {
    OracleClientBuilder builder = OracleClient.builder().name(name).requestTimeout(requestMax);
    oracles.addresses().forEach(builder::address);
    security.ifPresent(builder::security);
    return builder.build();
  }

  /**
   * Takes all steps.
   *
   * @param oracles that run with {@link #settingsBefore}, at least two
   * @param files of all members
   * @param secondsPerStep for how long applications go on after each, at least
   * @param out takes a line for each step
   * @return what was wrong
   * @throws IOException if a step cannot be taken
   */
  public static List<String> run(
      Oracles oracles, SecuredFiles files, long secondsPerStep, PrintWriter out)
      throws IOException, InterruptedException {
    try (Rollout rollout = new Rollout(oracles, files, secondsPerStep, out)) {
      rollout.forth();
      rollout.back();
      rollout.judge();
      return rollout.violations;
    }
  }

  /** Settings of members before the first step: they know nothing, not even a secret. */
  public static Map<String, String> settingsBefore() {
    return Fleet.INSECURE;
  }

  private void forth() throws IOException, InterruptedException {
    step("before", () -> {});
    refuses(Optional.of(files.security()), "answered in clear");
    step("files; standbys, then the leader", fleet::giveFiles);
    step(
        "tls optional, auth optional; amid it the leader is killed",
        () -> {
          fleet.levels(fleet.leader(), Levels.OPTIONAL);
          fleet.killLeader();
          fleet.levels(Levels.OPTIONAL);
        });
    Fleet.await("a client that requires TLS", () -> isServed(strict));
    int half = APPLICATIONS / 2;
    step("half of the clients prefer TLS", () -> move(0, half, Optional.of(Mode.PREFER)));
    step("a hand-over", fleet::handOver);
    step("the others do", () -> move(half, APPLICATIONS, Optional.of(Mode.PREFER)));
    step(
        "tls required; amid it the leader, which has it first, hands over",
        () -> {
          fleet.levels(fleet.leader(), Levels.ENCRYPTED);
          fleet.handOver();
          fleet.levels(Levels.ENCRYPTED);
        });
    refuses(Optional.empty(), "this port takes TLS only");
    step(
        "auth required; amid it the leader, which has it last, is killed",
        () -> {
          for (int standby : fleet.standbys()) {
            fleet.levels(standby, Levels.REQUIRED);
          }
          fleet.killLeader();
          fleet.levels(Levels.REQUIRED);
        });
    step(
        "clients require TLS; the secret alone",
        () -> {
          move(0, APPLICATIONS, Optional.of(Mode.REQUIRED));
          long now = System.nanoTime();
          Fleet.await(
              "the end of all that is open",
              () -> applications.stream().allMatch(each -> each.hasEndedAllBefore(now)));
          fleet.dropNoSecret();
        });
  }

  private void back() throws IOException, InterruptedException {
    int half = APPLICATIONS / 2;
    step("clients prefer TLS", () -> move(0, APPLICATIONS, Optional.of(Mode.PREFER)));
    step(
        "auth optional; amid it the leader, which has it first, is killed",
        () -> {
          fleet.levels(fleet.leader(), Levels.ENCRYPTED);
          fleet.killLeader();
          fleet.levels(Levels.ENCRYPTED);
        });
    step(
        "tls optional; amid it the leader, which has it last, hands over",
        () -> {
          for (int standby : fleet.standbys()) {
            fleet.levels(standby, Levels.OPTIONAL);
          }
          fleet.handOver();
          fleet.levels(Levels.OPTIONAL);
        });
    step("half of the clients speak in clear", () -> move(0, half, Optional.empty()));
    Fleet.await("a client that requires TLS", () -> isServed(strict));
    step("the others do", () -> move(half, APPLICATIONS, Optional.empty()));
    step(
        "tls off, auth off; amid it the leader is killed",
        () -> {
          fleet.levels(fleet.leader(), Levels.OFF);
          fleet.killLeader();
          fleet.levels(Levels.OFF);
        });
  }

  private void move(int from, int to, Optional<Mode> mode) {
    for (Application application : applications.subList(from, to)) {
      application.moveTo(mode.map(files::security));
    }
  }

  private void step(String what, Step step) throws IOException, InterruptedException {
    long from = System.nanoTime();
    long before = commits.total();
    commits.reset(from);
    try {
      step.take();
    } catch (IOException e) {
      throw new IOException(what + ": " + ErrorText.of(e), e);
    }
    long taken = System.nanoTime();
    Fleet.await(
        "commits of all clients after: " + what,
        () ->
            commits.allSince(taken)
                && System.nanoTime() - taken >= Duration.ofSeconds(seconds).toNanos());
    for (int i = 0; i < fleet.size(); i++) {
      look(what, i);
    }
    Successes.Gaps gaps = commits.gaps();
    out.println("  " + what);
    out.flush();
    table.row(
        what,
        (System.nanoTime() - from) / 1e9,
        commits.total() - before,
        (double) gaps.any() / MILLI,
        (double) gaps.worst() / MILLI);
  }

  /** Clients come to a member that was started again when they like. */
  private void look(String step, int member) throws IOException, InterruptedException {
    Map<String, String> wanted = new TreeMap<>();
    applications.forEach(
        each ->
            wanted.put(each.name(), each.isSecured() ? "tls, " + files.principal() : "clear, -"));
    List<Map<String, String>> shown = new ArrayList<>(List.of(Map.of()));
    String[] failure = {""};
    try {
      Fleet.await(
          "what retso status --clients shows",
          () -> {
            try {
              shown.set(0, shown(step, member));
              return shown.get(0).equals(wanted);
            } catch (IOException e) { // it was started again, and is not ready yet
              failure[0] = ErrorText.of(e);
              return false;
            }
          });
    } catch (IOException e) {
      findings.violation(
          step + ": status shows " + shown.get(0) + " instead of " + wanted + " " + failure[0]);
    }
  }

  /** Members, which are clients of the leader, are shown if they are not as they should be. */
  private Map<String, String> shown(String step, int member) throws IOException {
    Map<String, String> shown = new TreeMap<>();
    for (Operator.Connected each : fleet.clients(member)) {
      if (each.name().startsWith(LeaderWatch.CLIENT_NAME_PREFIX)) {
        if (!each.isEncrypted() && fleet.takesTls()) {
          shown.put(each.name(), "clear");
        }
      } else if (each.name().startsWith(Application.PREFIX)) {
        String how = (each.isEncrypted() ? "tls, " : "clear, ") + each.principal();
        shown.merge(each.name(), how, (one, other) -> one.equals(other) ? one : one + "; " + other);
      } else if (each.name().equals(STRICT) && !each.isEncrypted()) {
        findings.violation(step + ": a client that requires TLS speaks in clear");
      }
    }
    return shown;
  }

  private static boolean isServed(OracleClient client) {
    try {
      client.timestamp();
      return true;
    } catch (OracleException e) {
      return false;
    }
  }

  /** A client that connects only now: connections that are there go on at {@code off}. */
  private void refuses(Optional<ClientSecurity> security, String why) {
    try (OracleClient client = client(oracles, STRANGER, security, PROBE_MAX)) {
      client.timestamp();
      findings.violation("served was a client for which holds: " + why);
    } catch (OracleException e) {
      if (e.category() != Category.NOT_AUTHENTICATED || !e.getMessage().contains(why)) {
        findings.violation("a client was not told \"" + why + "\", but: " + ErrorText.of(e));
      }
    }
  }

  private void judge() throws InterruptedException {
    refuses(Optional.of(files.security()), "answered in clear");
    int found = 0;
    for (Application application : applications) {
      found += application.judge();
    }
    out.println();
    out.print(table);
    out.println();
    out.println(
        "  "
            + commits.total()
            + " commits were acknowledged; "
            + found
            + " were looked for in the end. "
            + (violations.isEmpty() ? "Nothing was wrong." : "Wrong:"));
    violations.forEach(violation -> out.println("  VIOLATION: " + violation));
    out.flush();
  }

  @Override
  public void close() {
    applications.forEach(Application::close);
    strict.close();
  }
}
