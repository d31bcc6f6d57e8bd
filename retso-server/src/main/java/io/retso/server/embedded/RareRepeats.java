package io.retso.server.embedded;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.turbo.TurboFilter;
import ch.qos.logback.core.spi.FilterReply;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.slf4j.Marker;

/**
 * Lets a library say the same thing once in {@value #PERIOD_SECONDS} s. BookKeeper's client reports
 * the loss of a bookie with each entry and each read, some thousand times a second, with a stack
 * trace: the log would be of no use, and writing it costs more than the loss. Named by {@code
 * logback.xml}. Thread-safe.
 */
public final class RareRepeats extends TurboFilter {
  private static final long PERIOD_SECONDS = 10;
  private static final String OWN = "io.retso.";

  /** Texts that are remembered; others are always let through. */
  private static final int TEXTS_MAX = 1_000;

  private record Text(String logger, String format) {}

  private final Map<Text, Long> lastSaid = new ConcurrentHashMap<>();

  @Override
  public FilterReply decide(
      Marker marker,
      Logger logger,
      Level level,
      String format,
      Object[] parameters,
      Throwable failure) {
    boolean isShown = level.isGreaterOrEqual(Level.WARN) && format != null;
    if (!isShown || logger.getName().startsWith(OWN)) {
      return FilterReply.NEUTRAL;
    }
    Text text = new Text(logger.getName(), format);
    long now = System.nanoTime();
    Long last = lastSaid.get(text);
    if (last != null && now - last < TimeUnit.SECONDS.toNanos(PERIOD_SECONDS)) {
      return FilterReply.DENY;
    }
    if (last != null || lastSaid.size() < TEXTS_MAX) {
      lastSaid.put(text, now);
    }
    return FilterReply.NEUTRAL;
  }
}
