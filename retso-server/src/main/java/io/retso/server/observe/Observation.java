package io.retso.server.observe;

import io.retso.member.Member;
import io.retso.server.observe.HttpEndpoint.Action;
import io.retso.server.observe.HttpEndpoint.Page;
import io.retso.server.observe.HttpEndpoint.Reply;
import io.retso.text.ErrorText;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a server shows of itself over HTTP: {@code /health}, {@code /leader} and the page for people
 * from its first moment on, {@code /metrics}, {@code /status}, {@code /hot} and {@code /live}, the
 * same as events, once it serves; and {@code /handover}, which is asked for. Thread-safe.
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

  private final Leaders leaders = new Leaders();

  /** Null until the server serves. */
  private volatile Serving serving;

  /** What was so a second ago at most; a comment until the server serves. */
  private volatile String event = ":\n\n";

  private volatile Supplier<CompletableFuture<String>> handOver;
  private volatile Supplier<CompletableFuture<String>> reload;
  private volatile Supplier<CompletableFuture<String>> clients;

  public Observation(Health health) {
    this.health = health;
  }

  /** Shows figures from here on. */
  public void serve(FigureReader reader, ServerFacts facts) {
    Serving now = new Serving(reader, facts, new Metrics(reader, health, facts));
    serving = now;
    sample(now);
    sampler.scheduleAtFixedRate(() -> sampleAgain(now), 1, 1, TimeUnit.SECONDS);
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

  /** One thread does it for all clients that are told of it: the oracle's may not answer. */
  private void sample(Serving now) {
    Figures figures = now.reader.sample();
    leaders.look(figures.member, System.currentTimeMillis());
    event = LivePage.event(report(now, figures), new HotReport(figures));
  }

  private void sampleAgain(Serving now) {
    try {
      sample(now);
    } catch (RuntimeException e) { // a periodic task that throws is never run again
      LOG.warn("figures could not be sampled", e);
    }
  }

  /** The pages by their paths. */
  public Map<String, Page> pages() {
    Map<String, Page> pages = new HashMap<>();
    pages.put("/health", this::healthPage);
    pages.put("/leader", this::leaderPage);
    pages.put("/metrics", reading((now, a) -> new Reply(OK, PROMETHEUS, now.metrics.scrape())));
    pages.put("/status", reading(this::statusPage));
    pages.put("/hot", reading(Observation::hotPage));
    pages.put("/clients", reading((now, accept) -> clientsPage()));
    pages.put("/live", reading((now, accept) -> LivePage.events(accept, event)));
    LivePage.files()
        .forEach(
            (path, file) -> pages.put(path, (a, who) -> who.mayRead() ? file : forbidden(who)));
    return pages;
  }

  /** A page for those that may read figures, once there are any. */
  private Page reading(BiFunction<Serving, String, Reply> page) {
    return (accept, caller) -> {
      if (!caller.mayRead()) {
        return forbidden(caller);
      }
      Serving now = serving;
      return now == null ? notYet() : page.apply(now, accept);
    };
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

  private static Figures figures(Serving now) {
    return now == null ? new Figures() : now.reader.read();
  }

  private Health.Verdict verdict(Serving now, Figures figures) {
    return health.judge(figures, now == null ? 0 : now.reader.silentNanos());
  }

  private Reply healthPage(String accept, HttpCaller caller) {
    Serving now = serving;
    Health.Verdict verdict = verdict(now, figures(now));
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
    Figures figures = figures(now);
    Member.View member = figures.member;
    boolean leads = now != null && verdict(now, figures).serving() && member.leads();
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("leads", leads);
    if (caller.mayRead()) {
      body.put("leader", member.leader());
      body.put("epoch", member.epoch());
    }
    return new Reply(leads ? OK : UNAVAILABLE, Reply.JSON, Json.of(body));
  }

  private StatusReport report(Serving now, Figures figures) {
    return new StatusReport(
        now.facts, verdict(now, figures), figures, now.reader.before(), leaders);
  }

  private Reply statusPage(Serving now, String accept) {
    StatusReport report = report(now, now.reader.read());
    return accept.startsWith("text/plain")
        ? new Reply(OK, Reply.TEXT, report.text())
        : new Reply(OK, Reply.JSON, report.json());
  }

  private static Reply hotPage(Serving now, String accept) {
    HotReport report = new HotReport(now.reader.read());
    return accept.startsWith("text/plain")
        ? new Reply(OK, Reply.TEXT, report.text())
        : new Reply(OK, Reply.JSON, report.json());
  }

  private Reply clientsPage() {
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
    Serving now = serving;
    Health.Verdict verdict = verdict(now, figures(now));
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
