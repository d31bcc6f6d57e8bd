package io.retso.server.observe;

import io.retso.member.Member;
import io.retso.server.observe.HttpEndpoint.Action;
import io.retso.server.observe.HttpEndpoint.Page;
import io.retso.server.observe.HttpEndpoint.Reply;
import io.retso.text.ErrorText;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a server shows of itself over HTTP: {@code /health} and {@code /leader} from its first
 * moment on, {@code /metrics}, {@code /status} and {@code /hot} once it serves; and {@code
 * /handover}, which is asked for. Thread-safe.
 */
public final class Observation implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Observation.class);
  private static final int OK = 200;
  private static final long CLIENTS_MILLIS = 1_000;
  private static final int FORBIDDEN = 403;
  private static final int CONFLICT = 409;
  private static final int UNAVAILABLE = 503;
  private static final String PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8";

  private record Serving(FigureReader reader, ServerFacts facts, Metrics metrics) {}

  private final Health health;
  private final ScheduledExecutorService sampler =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "figures");
            thread.setDaemon(true);
            return thread;
          });

  /** Null until the server serves. */
  private volatile Serving serving;

  private volatile Supplier<CompletableFuture<String>> handOver;
  private volatile Supplier<CompletableFuture<String>> reload;
  private volatile Supplier<CompletableFuture<String>> clients;

  public Observation(Health health) {
    this.health = health;
  }

  /** Shows figures from here on. */
  public void serve(FigureReader reader, ServerFacts facts) {
    serving = new Serving(reader, facts, new Metrics(reader, health, facts));
    reader.sample();
    sampler.scheduleAtFixedRate(() -> sample(reader), 1, 1, TimeUnit.SECONDS);
  }

  /** Offers to hand over from here on; the result says what became of it, to a person. */
  public void offerHandOver(Supplier<CompletableFuture<String>> action) {
    handOver = action;
  }

  /** Offers to read the files of security again from here on; the result is for a person, too. */
  public void offerReload(Supplier<CompletableFuture<String>> action) {
    reload = action;
  }

  /** Shows from here on which clients are connected. */
  public void offerClients(Supplier<CompletableFuture<String>> page) {
    clients = page;
  }

  private static void sample(FigureReader reader) {
    try {
      reader.sample();
    } catch (RuntimeException e) { // a periodic task that throws is never run again
      LOG.warn("figures could not be sampled", e);
    }
  }

  /** The pages by their paths. */
  public Map<String, Page> pages() {
    return Map.of(
        "/health",
        this::healthPage,
        "/leader",
        this::leaderPage,
        "/metrics",
        this::metricsPage,
        "/status",
        this::statusPage,
        "/hot",
        this::hotPage,
        "/clients",
        this::clientsPage);
  }

  /** The actions by their paths. */
  public Map<String, Action> actions() {
    return Map.of(
        "/handover",
        caller -> act(caller, handOver, "this server shares its log with no other"),
        "/reload",
        caller -> act(caller, reload, "this server is starting"));
  }

  private static CompletableFuture<Reply> act(
      HttpCaller caller, Supplier<CompletableFuture<String>> action, String otherwise) {
    if (!caller.mayAct()) {
      return CompletableFuture.completedFuture(forbidden(caller));
    }
    CompletableFuture<String> done =
        action == null
            ? CompletableFuture.failedFuture(new IllegalStateException(otherwise))
            : action.get();
    return done.handle(
        (text, e) ->
            e == null
                ? new Reply(OK, Reply.TEXT, text + "\n")
                : new Reply(CONFLICT, Reply.TEXT, ErrorText.of(unwrapped(e)) + "\n"));
  }

  private static Throwable unwrapped(Throwable e) {
    return e instanceof CompletionException && e.getCause() != null ? e.getCause() : e;
  }

  private static Reply forbidden(HttpCaller caller) {
    return new Reply(FORBIDDEN, Reply.TEXT, caller.refusal() + "\n");
  }

  private Health.Verdict verdict() {
    Serving now = serving;
    Figures figures = now == null ? new Figures() : now.reader.read();
    return health.judge(figures, now == null ? 0 : now.reader.silentNanos());
  }

  private Reply healthPage(String accept, HttpCaller caller) {
    Health.Verdict verdict = verdict();
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("status", verdict.status());
    if (caller.mayRead() && !verdict.reason().isEmpty()) {
      body.put(verdict.serving() ? "warning" : "reason", verdict.reason());
    }
    return new Reply(verdict.serving() ? OK : UNAVAILABLE, Reply.JSON, Json.of(body));
  }

  /** For load balancers: exactly one of the members says yes, or none. */
  private Reply leaderPage(String accept, HttpCaller caller) {
    Serving now = serving;
    Member.View member = now == null ? new Figures().member : now.reader.read().member;
    boolean leads = now != null && verdict().serving() && member.leads();
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("leads", leads);
    if (caller.mayRead()) {
      body.put("leader", member.leader());
      body.put("epoch", member.epoch());
    }
    return new Reply(leads ? OK : UNAVAILABLE, Reply.JSON, Json.of(body));
  }

  private Reply metricsPage(String accept, HttpCaller caller) {
    if (!caller.mayRead()) {
      return forbidden(caller);
    }
    Serving now = serving;
    return now == null ? notYet() : new Reply(OK, PROMETHEUS, now.metrics.scrape());
  }

  private Reply statusPage(String accept, HttpCaller caller) {
    if (!caller.mayRead()) {
      return forbidden(caller);
    }
    Serving now = serving;
    if (now == null) {
      return notYet();
    }
    Health.Verdict verdict = verdict();
    StatusReport report =
        new StatusReport(now.facts, verdict, now.reader.read(), now.reader.before());
    return accept.startsWith("text/plain")
        ? new Reply(OK, Reply.TEXT, report.text())
        : new Reply(OK, Reply.JSON, report.json());
  }

  private Reply hotPage(String accept, HttpCaller caller) {
    if (!caller.mayRead()) {
      return forbidden(caller);
    }
    Serving now = serving;
    if (now == null) {
      return notYet();
    }
    HotReport report = new HotReport(now.reader.read());
    return accept.startsWith("text/plain")
        ? new Reply(OK, Reply.TEXT, report.text())
        : new Reply(OK, Reply.JSON, report.json());
  }

  private Reply clientsPage(String accept, HttpCaller caller) {
    if (!caller.mayRead()) {
      return forbidden(caller);
    }
    Supplier<CompletableFuture<String>> page = clients;
    if (page == null) {
      return notYet();
    }
    try {
      return new Reply(OK, Reply.TEXT, page.get().get(CLIENTS_MILLIS, TimeUnit.MILLISECONDS));
    } catch (ExecutionException | TimeoutException e) {
      return new Reply(UNAVAILABLE, Reply.TEXT, "the oracle's thread does not answer\n");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return notYet();
    }
  }

  private Reply notYet() {
    Health.Verdict verdict = verdict();
    return new Reply(
        UNAVAILABLE,
        Reply.TEXT,
        "status       " + verdict.status() + ": " + verdict.reason() + "\n");
  }

  @Override
  public void close() {
    sampler.shutdownNow();
    Serving now = serving;
    if (now != null) {
      now.metrics.close();
    }
  }
}
