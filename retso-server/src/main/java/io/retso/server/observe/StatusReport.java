package io.retso.server.observe;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * The state of a server at one moment, with rates and latencies over the last ten seconds: as JSON
 * for programs, as a page of text for people. Immutable.
 */
final class StatusReport {
  private static final double NANOS_PER_SECOND = 1e9;
  private static final double NANOS_PER_MILLI = 1e6;

  private final ServerFacts facts;
  private final Health.Verdict health;
  private final Figures now;
  private final Figures before;
  private final double seconds;
  private final BatchHistogram decisions;
  private final BatchHistogram turns;
  private final BatchHistogram appends;
  private final BatchHistogram entrySizes;

  StatusReport(ServerFacts facts, Health.Verdict health, Figures now, Figures before) {
    this.facts = facts;
    this.health = health;
    this.now = now;
    this.before = before;
    this.seconds = Math.max((now.nanos - before.nanos) / NANOS_PER_SECOND, 1e-3);
    this.decisions = now.decisions.since(before.decisions);
    this.turns = now.turns.since(before.turns);
    this.appends = now.appends.since(before.appends);
    this.entrySizes = now.entrySizes.since(before.entrySizes);
  }

  /** The report as JSON. */
  String json() {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("status", health.status());
    all.put("serving", health.serving());
    all.put("reason", health.reason());
    all.put("address", facts.address());
    all.put("epoch", facts.epoch());
    all.put("uptimeSeconds", uptimeSeconds());
    all.put("perSecond", rates());
    all.put("decisionMillis", latency(decisions));
    all.put("transactions", transactions());
    all.put("aborts", aborts());
    all.put("map", map());
    all.put("window", Map.of("lagStamps", now.oracle.windowLag));
    all.put("watermark", Map.of("lagStamps", now.oracle.watermarkLag));
    all.put("log", log());
    all.put("network", network());
    all.put("memory", memory());
    return Json.of(all);
  }

  private double uptimeSeconds() {
    return (now.nanos - facts.startedNanos()) / NANOS_PER_SECOND;
  }

  private double rate(long later, long earlier) {
    return (later - earlier) / seconds;
  }

  private Map<String, Object> rates() {
    Map<String, Object> m = new LinkedHashMap<>();
    m.put("overSeconds", seconds);
    m.put("begins", rate(now.oracle.begins, before.oracle.begins));
    m.put("extensions", rate(now.oracle.extensions, before.oracle.extensions));
    m.put("commits", rate(now.oracle.commits, before.oracle.commits));
    m.put("aborts", rate(now.aborts(), before.aborts()));
    m.put("queries", rate(now.oracle.queries, before.oracle.queries));
    m.put("cleanups", rate(now.oracle.cleanups, before.oracle.cleanups));
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

  private Map<String, Object> transactions() {
    Map<String, Object> m = new LinkedHashMap<>();
    m.put("begins", now.oracle.begins);
    m.put("extensions", now.oracle.extensions);
    m.put("changedExtensions", now.changedExtensions());
    m.put("commits", now.oracle.commits);
    m.put("rows", now.oracle.rows);
    m.put("queries", now.oracle.queries);
    m.put("cleanups", now.oracle.cleanups);
    m.put("refused", now.oracle.refused);
    m.put("sweepReports", now.oracle.sweptReports);
    m.put("open", now.oracle.open);
    m.put("halfAborted", now.oracle.halfAborted);
    m.put("uncleaned", now.oracle.uncleaned);
    m.put("uncleanedMax", now.oracle.uncleanedCapacity);
    return m;
  }

  private Map<String, Object> aborts() {
    Map<String, Object> m = new LinkedHashMap<>();
    m.put("conflict", now.oracle.conflicts);
    m.put("evicted", now.oracle.evicted);
    m.put("forced", now.oracle.forced);
    m.put("requested", now.oracle.requested);
    m.put("expired", now.oracle.expired);
    return m;
  }

  private double fill() {
    return now.oracle.mapCapacity == 0
        ? 0
        : (double) now.oracle.mapOccupied / now.oracle.mapCapacity;
  }

  private Map<String, Object> map() {
    Map<String, Object> m = new LinkedHashMap<>();
    m.put("rows", now.oracle.mapOccupied);
    m.put("rowsMax", now.oracle.mapCapacity);
    m.put("fill", fill());
    m.put("evictions", now.oracle.mapEvictions);
    m.put("tmaxLagStamps", now.oracle.mapTmaxLag);
    return m;
  }

  private Map<String, Object> log() {
    Map<String, Object> m = new LinkedHashMap<>();
    m.put("kind", facts.logKind());
    m.put("place", facts.logPlace());
    m.put("entries", now.sequencer.entries);
    m.put("entriesPerSecond", rate(now.sequencer.entries, before.sequencer.entries));
    m.put("bytesPerSecond", rate(now.entrySizes.sum(), before.entrySizes.sum()));
    m.put("entryBytesMean", entrySizes.mean());
    m.put("entryBytesP99", entrySizes.quantile(0.99));
    m.put("transactionsPerEntry", transactionsPerEntry());
    m.put("appendMillis", latency(appends));
    m.put("outstandingEntries", now.outstanding);
    m.put("oldestOutstandingMillis", now.oldestOutstandingNanos / NANOS_PER_MILLI);
    m.put("segments", now.sequencer.segments);
    m.put("recoveredTransactions", facts.recoveredTransactions());
    m.put("recoverySeconds", facts.recoverySeconds());
    return m;
  }

  private double transactionsPerEntry() {
    long entries = now.sequencer.entries - before.sequencer.entries;
    return entries == 0 ? 0 : (double) (now.oracle.commits - before.oracle.commits) / entries;
  }

  private Map<String, Object> network() {
    Map<String, Object> m = new LinkedHashMap<>();
    m.put("connections", now.net.connections);
    m.put("accepted", now.net.accepted);
    m.put("rejected", now.net.rejected);
    m.put("stalled", now.net.stalled);
    m.put("frames", now.net.frames);
    m.put("bytesIn", now.net.bytesIn);
    m.put("logWaits", now.net.logWaits);
    m.put("turnMillis", latency(turns));
    return m;
  }

  private Map<String, Object> memory() {
    Runtime runtime = Runtime.getRuntime();
    Map<String, Object> m = new LinkedHashMap<>();
    m.put("tablesBytes", facts.memory().tables());
    m.put("heapUsedBytes", runtime.totalMemory() - runtime.freeMemory());
    m.put("heapMaxBytes", runtime.maxMemory());
    return m;
  }

  /** The report as text, a dozen lines. */
  String text() {
    StringBuilder out = new StringBuilder();
    String why = health.reason().isEmpty() ? "" : ": " + health.reason();
    line(out, "status", "%s%s", health.status(), why);
    line(out, "server", "%s, epoch %d, up %s", facts.address(), facts.epoch(), uptime());
    line(
        out,
        "per second",
        "%,.0f begins, %,.0f extensions, %,.0f commits, %,.0f aborts, %,.0f queries, %,.0f cleanups"
            + " (last %.0f s)",
        rate(now.oracle.begins, before.oracle.begins),
        rate(now.oracle.extensions, before.oracle.extensions),
        rate(now.oracle.commits, before.oracle.commits),
        rate(now.aborts(), before.aborts()),
        rate(now.oracle.queries, before.oracle.queries),
        rate(now.oracle.cleanups, before.oracle.cleanups),
        seconds);
    line(out, "decisions", "%s", latencyText(decisions));
    line(
        out,
        "aborted",
        "%,d conflict, %,d evicted, %,d forced, %,d requested, %,d expired; %,d commits refused",
        now.oracle.conflicts,
        now.oracle.evicted,
        now.oracle.forced,
        now.oracle.requested,
        now.oracle.expired,
        now.oracle.refused);
    line(
        out,
        "held",
        "%,d open, %,d half-aborted, %,d of %,d uncleaned, low watermark %,d stamps ago",
        now.oracle.open,
        now.oracle.halfAborted,
        now.oracle.uncleaned,
        now.oracle.uncleanedCapacity,
        now.oracle.watermarkLag);
    line(
        out,
        "map",
        "%,d of %,d rows (%.1f %%), %,d evictions, T_max %,d stamps ago",
        now.oracle.mapOccupied,
        now.oracle.mapCapacity,
        fill() * 100,
        now.oracle.mapEvictions,
        now.oracle.mapTmaxLag);
    logText(out);
    line(
        out,
        "network",
        "%,d connections (%,d accepted, %,d rejected, %,d stalled), %,d waits for the log",
        now.net.connections,
        now.net.accepted,
        now.net.rejected,
        now.net.stalled,
        now.net.logWaits);
    return out.toString();
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
        rate(now.sequencer.entries, before.sequencer.entries),
        entrySizes.mean(),
        transactionsPerEntry(),
        now.outstanding,
        now.sequencer.segments);
    line(out, "log appends", "%s", latencyText(appends));
  }

  private String uptime() {
    long s = (long) uptimeSeconds();
    return "%d:%02d:%02d".formatted(s / 3600, s / 60 % 60, s % 60);
  }

  private static String latencyText(BatchHistogram h) {
    return h.count() == 0
        ? "none"
        : String.format(
            Locale.ROOT,
            "mean %.3f ms, p50 %.3f, p99 %.3f, p99.9 %.3f",
            latency(h).values().toArray());
  }

  private static void line(StringBuilder out, String name, String format, Object... values) {
    out.append(String.format(Locale.ROOT, "%-12s ", name))
        .append(String.format(Locale.ROOT, format, values))
        .append('\n');
  }
}
