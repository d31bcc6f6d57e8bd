package io.retso.server.observe;

import io.retso.oracle.HotIds;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The ids because of which most commits were refused lately: as JSON for programs, as text for
 * people. Immutable.
 */
final class HotReport {
  /** Lines for people. */
  private static final int SHOWN = 20;

  private final List<HotIds.Hot> hot;

  HotReport(Figures figures) {
    this.hot = figures.hot;
  }

  /** The report as JSON. */
  String json() {
    return Json.of(Map.of("hot", map()));
  }

  /** By ids, those with most refusals first. */
  Map<String, Object> map() {
    Map<String, Object> byId = new LinkedHashMap<>();
    hot.forEach(one -> byId.put(id(one), entry(one)));
    return byId;
  }

  private static Map<String, Object> entry(HotIds.Hot one) {
    Map<String, Object> m = new LinkedHashMap<>();
    m.put("refusals", one.refusals());
    m.put("surplus", one.surplus());
    m.put("commit", one.commit());
    return m;
  }

  private static String id(HotIds.Hot one) {
    return String.format(Locale.ROOT, "%016x", one.id());
  }

  /** The report as text, a line for each. */
  String text() {
    if (hot.isEmpty()) {
      return "no commit was refused lately\n";
    }
    StringBuilder out =
        new StringBuilder("id                refusals, halved every 10 s   last commit\n");
    for (HotIds.Hot one : hot.subList(0, Math.min(SHOWN, hot.size()))) {
      out.append(
          String.format(
              Locale.ROOT,
              "%s  %,13d%-15s  %s\n",
              id(one),
              one.refusals(),
              one.surplus() == 0 ? "" : String.format(Locale.ROOT, " (-%,d)", one.surplus()),
              one.commit() == 0 ? "not known" : one.commit()));
    }
    return out.toString();
  }
}
