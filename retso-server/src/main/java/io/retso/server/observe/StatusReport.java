package io.retso.server.observe;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * The state of a server at one moment, with rates and latencies over the last ten seconds: as JSON
 * for programs, as a page of text for people. Immutable.
 */
final class StatusReport {
  private static final double NANOS_PER_SECOND = 1e9;
  private static final double NANOS_PER_MILLI = 1e6;
  private static final Pattern WORD_START = Pattern.compile("[._](\\w)");

  private final ServerFacts facts;
  private final Health.Verdict health;
  private final Figures now;
  private final Figures before;
  private final Leaders leaders;
  private final double seconds;
  private final BatchHistogram decisions;
  private final BatchHistogram turns;
  private final BatchHistogram appends;
  private final BatchHistogram entrySizes;

  StatusReport(
      ServerFacts facts, Health.Verdict health, Figures now, Figures before, Leaders leaders) {
    this.facts = facts;
    this.health = health;
    this.now = now;
    this.before = before;
    this.leaders = leaders;
    this.seconds = Math.max((now.nanos - before.nanos) / NANOS_PER_SECOND, 1e-3);
    this.decisions = now.decisions.since(before.decisions);
    this.turns = now.turns.since(before.turns);
    this.appends = now.appends.since(before.appends);
    this.entrySizes = now.entrySizes.since(before.entrySizes);
  }

  /** The report as JSON. */
  String json() {
    return Json.of(map());
  }

  /** What is in it, by names. */
  Map<String, Object> map() {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("status", health.status());
    all.put("serving", health.serving());
    all.put("reason", health.reason());
    all.put("address", facts.address());
    all.put("oracle", facts.oracle().name());
    all.put("logId", facts.oracle().id().toString());
    all.put("role", MemberText.role(now.member));
    all.put("epoch", now.member.epoch());
    all.put("leader", now.member.leader());
    all.put("memberList", MemberText.members(now.member));
    all.put("security", facts.security().get());
    all.put("uptimeSeconds", uptimeSeconds());
    for (Figure.Group group : Figure.Group.values()) {
      all.put(group.name().toLowerCase(Locale.ROOT), group(group));
    }
    all.put("overSeconds", seconds);
    all.put("perSecond", rates());
    all.put("decisionMillis", latency(decisions));
    all.put("turnMillis", latency(turns));
    all.put("logAppendMillis", latency(appends));
    all.put("logEntryBytes", Map.of("mean", entrySizes.mean(), "p99", entrySizes.quantile(0.99)));
    all.put("commitsPerLogEntry", commitsPerEntry());
    all.put("start", start());
    all.put("lastLeaders", leaders.map());
    return all;
  }

  private double uptimeSeconds() {
    return (now.nanos - facts.startedNanos()) / NANOS_PER_SECOND;
  }

  private Map<String, Object> group(Figure.Group group) {
    Map<String, Object> m = new LinkedHashMap<>();
    for (Figure figure : Figure.values()) {
      if (figure.group == group) {
        double value = figure.in(now);
        m.put(key(figure), value == Math.rint(value) ? (Object) (long) value : (Object) value);
      }
    }
    if (group == Figure.Group.MEMORY) {
      Runtime runtime = Runtime.getRuntime();
      m.put("tablesBytes", facts.memory().tables());
      m.put("heapUsedBytes", runtime.totalMemory() - runtime.freeMemory());
      m.put("heapMaxBytes", runtime.maxMemory());
    }
    return m;
  }

  /** The metric's name in the way of JSON: {@code abortsConflict}. */
  private static String key(Figure figure) {
    String reason =
        figure.reason == null ? "" : "." + figure.reason.name().toLowerCase(Locale.ROOT);
    return WORD_START
        .matcher(figure.metric + reason)
        .replaceAll(start -> start.group(1).toUpperCase(Locale.ROOT));
  }

  private double rate(Figure counter) {
    return (counter.in(now) - counter.in(before)) / seconds;
  }

  private Map<String, Object> rates() {
    Map<String, Object> m = new LinkedHashMap<>();
    for (Figure figure : Figure.values()) {
      if (figure.kind == Figure.Kind.COUNTER) {
        m.put(key(figure), rate(figure));
      }
    }
    return m;
  }

  private static Map<String, Object> latency(BatchHistogram h) {
    Map<String, Object> m = new LinkedHashMap<>();
    m.put("mean", h.mean() / NANOS_PER_MILLI);
    m.put("p50", h.quantile(0.5) / NANOS_PER_MILLI);
    m.put("p99", h.quantile(0.99) / NANOS_PER_MILLI);
    m.put("p999", h.quantile(0.999) / NANOS_PER_MILLI);
    return m;
  }

  private Map<String, Object> start() {
    Map<String, Object> m = new LinkedHashMap<>();
    m.put("logKind", facts.logKind());
    m.put("logPlace", facts.logPlace());
    m.put("recoveredTransactions", facts.recoveredTransactions());
    m.put("recoverySeconds", facts.recoverySeconds());
    return m;
  }

  private double commitsPerEntry() {
    double entries = Figure.LOG_ENTRIES.in(now) - Figure.LOG_ENTRIES.in(before);
    return entries == 0 ? 0 : (Figure.COMMITS.in(now) - Figure.COMMITS.in(before)) / entries;
  }

  /** The report as text, a dozen lines. */
  String text() {
    StringBuilder out = new StringBuilder();
    String why = health.reason().isEmpty() ? "" : ": " + health.reason();
    line(out, "status", "%s%s", health.status(), why);
    line(out, "oracle", "%s", facts.oracle());
    line(
        out,
        "server",
        "%s, %s, epoch %d, up %s",
        facts.address(),
        MemberText.roleAndLeader(now.member),
        now.member.epoch(),
        uptime());
    line(out, "security", "%s", facts.security().get());
    if (!now.member.members().isEmpty()) {
      line(out, "members", "%s", MemberText.text(now.member));
    }
    line(
        out,
        "per second",
        "%,.0f begins, %,.0f timestamps, %,.0f commits, %,.0f aborts, %,.0f queries, %,.0f cleanups"
            + " (last %.0f s)",
        rate(Figure.BEGINS),
        rate(Figure.TIMESTAMPS),
        rate(Figure.COMMITS),
        abortRate(),
        rate(Figure.STATUS_QUERIES),
        rate(Figure.CLEANUPS),
        seconds);
    line(out, "decisions", "%s", latencyText(decisions));
    counts(
        out,
        "aborted",
        "%,d conflict, %,d evicted, %,d out of window, %,d requested, %,d expired;"
            + " %,d commits refused",
        Figure.ABORTS_CONFLICT,
        Figure.ABORTS_EVICTED,
        Figure.ABORTS_OUT_OF_WINDOW,
        Figure.ABORTS_REQUESTED,
        Figure.EXPIRED,
        Figure.REFUSED_COMMITS);
    counts(
        out,
        "not serializable",
        "%,d pivots, %,d read-only, %,d with an unknown successor; %,d safe snapshots issued",
        Figure.ABORTS_PIVOT,
        Figure.ABORTS_READ_ONLY,
        Figure.ABORTS_UNKNOWN_SUCCESSOR,
        Figure.SAFE_SNAPSHOTS);
    counts(
        out,
        "held",
        "%,d open, %,d half-aborted, %,d of %,d uncleaned, low watermark %,d timestamps ago",
        Figure.OPEN,
        Figure.HALF_ABORTED,
        Figure.UNCLEANED,
        Figure.UNCLEANED_LIMIT,
        Figure.WATERMARK_LAG);
    line(
        out,
        "map",
        "%,d of %,d rows (%.1f %%), %,d evictions, T_max %,d timestamps ago",
        Figure.MAP_ROWS.count(now),
        Figure.MAP_ROWS_LIMIT.count(now),
        100 * Figure.MAP_ROWS.in(now) / Math.max(Figure.MAP_ROWS_LIMIT.in(now), 1),
        Figure.MAP_EVICTIONS.count(now),
        Figure.TMAX_LAG.count(now));
    logText(out);
    counts(
        out,
        "network",
        "%,d connections (%,d accepted, %,d rejected, %,d stalled), %,d waits for the log",
        Figure.CONNECTIONS,
        Figure.CONNECTIONS_ACCEPTED,
        Figure.CONNECTIONS_REJECTED,
        Figure.CONNECTIONS_STALLED,
        Figure.LOG_WAITS);
    return out.toString();
  }

  private double abortRate() {
    return Arrays.stream(Figure.values())
        .filter(figure -> figure.reason != null)
        .mapToDouble(this::rate)
        .sum();
  }

  private void logText(StringBuilder out) {
    line(out, "log", "%s, %s", facts.logKind(), facts.logPlace());
    if (facts.logKind().equals("memory")) {
      return;
    }
    line(
        out,
        "log entries",
        "%,.0f/s, %,.0f bytes on average, %,.1f commits each, %d outstanding, %,d segments",
        rate(Figure.LOG_ENTRIES),
        entrySizes.mean(),
        commitsPerEntry(),
        Figure.LOG_OUTSTANDING.count(now),
        Figure.LOG_SEGMENTS.count(now));
    line(out, "log appends", "%s", latencyText(appends));
    if (now.member.leads()) {
      line(
          out,
          "log ledgers",
          "%,d, %,.1f MB in the newest, %,d stalls; lease %s",
          Figure.LOG_LEDGERS.count(now),
          Figure.LOG_LEDGER_BYTES.in(now) / 1e6,
          Figure.LOG_STALLS.count(now),
          leaseText());
    }
  }

  private String leaseText() {
    return now.leaseNanos == 0
        ? "lapsed: timestamps wait for the log"
        : String.format(Locale.ROOT, "for %.0f ms", now.leaseNanos / NANOS_PER_MILLI);
  }

  private String uptime() {
    long s = (long) uptimeSeconds();
    return String.format(Locale.ROOT, "%d:%02d:%02d", s / 3600, s / 60 % 60, s % 60);
  }

  private static String latencyText(BatchHistogram h) {
    return h.count() == 0
        ? "none"
        : String.format(
            Locale.ROOT,
            "mean %.3f ms, p50 %.3f, p99 %.3f, p99.9 %.3f",
            latency(h).values().toArray());
  }

  private void counts(StringBuilder out, String name, String format, Figure... figures) {
    line(out, name, format, Arrays.stream(figures).map(f -> (Object) f.count(now)).toArray());
  }

  private static void line(StringBuilder out, String name, String format, Object... values) {
    out.append(String.format(Locale.ROOT, "%-12s ", name))
        .append(String.format(Locale.ROOT, format, values))
        .append('\n');
  }
}
