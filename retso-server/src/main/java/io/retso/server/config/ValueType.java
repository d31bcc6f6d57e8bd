package io.retso.server.config;

import io.retso.protocol.OracleIdentity;
import io.retso.protocol.ServerRole;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a setting's text may be: how it is read, and what is said of it in help and errors.
 *
 * @param label the placeholder in the help, such as {@code COUNT}
 * @param allowed what is accepted, with range and unit, for people
 * @param reader turns trimmed text into a value, empty if the text is not allowed
 */
public record ValueType<T>(String label, String allowed, Function<String, Optional<T>> reader) {
  private static final Pattern COUNT = Pattern.compile("(\\d{1,18})(?:([kKMG])(i?))?");
  private static final Pattern POWER = Pattern.compile("2\\^(\\d{1,2})");
  private static final Pattern DURATION = Pattern.compile("(\\d{1,12})(ms|s|m|h|d)");
  private static final Pattern HOST = Pattern.compile("[A-Za-z0-9_.:%\\[\\]-]+");
  private static final Pattern ENSEMBLE =
      Pattern.compile("(?:[A-Za-z0-9_.-]+|\\[[0-9A-Fa-f:.]+\\]):(\\d{1,5})");
  private static final Pattern ZNODE = Pattern.compile("(?:/[A-Za-z0-9_.-]+)+");

  private static final Pattern KERBEROS_SERVICE =
      Pattern.compile("[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+(?:@[A-Za-z0-9_.-]+)?");

  /** What the word {@code clock} is read as; no count. */
  public static final long CLOCK = 0;

  private static final int PORT_MAX = 65_535;

  /** A host name or address to listen on. */
  static ValueType<String> host() {
    return new ValueType<>(
        "HOST",
        "a host name or address of this machine, of IPv4 or IPv6; 0.0.0.0 for all of both",
        text -> Optional.of(text).filter(t -> HOST.matcher(t).matches()));
  }

  /** Where others reach a server; empty text means that it is to find out. */
  static ValueType<String> address() {
    return new ValueType<>(
        "HOST:PORT",
        "host:port with port 1 to 65535, IPv6 as [::1]:7521; or empty",
        text -> Optional.of(text).filter(t -> t.isEmpty() || ServerRole.isAddress(t)));
  }

  /** What an oracle may be called. */
  static ValueType<String> oracleName() {
    return new ValueType<>(
        "NAME",
        "1 to " + OracleIdentity.NAME_BYTES_MAX + " letters, digits, and . _ - behind the first",
        text -> Optional.of(text).filter(OracleIdentity::isName));
  }

  /** A TCP port, or 0. */
  static ValueType<Integer> port() {
    return new ValueType<>(
        "PORT",
        "0 to 65535; 0 takes any free port",
        text -> number(text, 0, PORT_MAX).map(Math::toIntExact));
  }

  /** A directory, created when it is missing. */
  static ValueType<Path> directory() {
    return new ValueType<>("DIR", "a directory, created if it is missing", ValueType::path);
  }

  /** A file that is there; empty text means that there is none. */
  static ValueType<String> file() {
    return new ValueType<>(
        "FILE",
        "a file, or empty",
        text -> Optional.of(text).filter(t -> t.isEmpty() || path(t).isPresent()));
  }

  /** The name of a service in Kerberos. */
  static ValueType<String> kerberosService() {
    return new ValueType<>(
        "PRINCIPAL",
        "service/host or service/host@REALM, with _HOST for the host if that is to be found out",
        text -> Optional.of(text).filter(t -> KERBEROS_SERVICE.matcher(t).matches()));
  }

  private static Optional<Path> path(String text) {
    try {
      return text.isEmpty() ? Optional.empty() : Optional.of(Path.of(text));
    } catch (InvalidPathException e) {
      return Optional.empty();
    }
  }

  /** One of a few words. */
  static ValueType<String> choice(String... words) {
    List<String> all = List.of(words);
    return new ValueType<>(
        String.join("|", all),
        String.join(" or ", all),
        text -> Optional.of(text.toLowerCase(Locale.ROOT)).filter(all::contains));
  }

  /** {@code true} or {@code false}. */
  static ValueType<Boolean> flag() {
    ValueType<String> words = choice("true", "false");
    return new ValueType<>(
        words.label, words.allowed, text -> words.reader.apply(text).map(Boolean::valueOf));
  }

  /** A count of something, with or without a suffix. */
  static ValueType<Long> count(long min, long max, String unit) {
    return new ValueType<>(
        "COUNT", human(min) + " to " + human(max) + " " + unit, text -> number(text, min, max));
  }

  /** A count that fits into an int. */
  static ValueType<Integer> smallCount(int min, int max, String unit) {
    ValueType<Long> count = count(min, max, unit);
    return new ValueType<>(
        count.label, count.allowed, text -> count.reader.apply(text).map(Math::toIntExact));
  }

  /** A count, or {@code auto}, which is read as 0. */
  static ValueType<Integer> autoCount(int min, int max, String unit) {
    ValueType<Integer> count = smallCount(min, max, unit);
    return new ValueType<>(
        count.label + "|auto",
        "auto, or " + count.allowed,
        text -> text.equalsIgnoreCase("auto") ? Optional.of(0) : count.reader.apply(text));
  }

  /** A count, or {@code clock}, which is read as {@link #CLOCK}. */
  static ValueType<Long> countOrClock(long min, long max, String unit) {
    ValueType<Long> count = count(min, max, unit);
    return new ValueType<>(
        count.label + "|clock",
        "clock, or " + count.allowed,
        text -> text.equalsIgnoreCase("clock") ? Optional.of(CLOCK) : count.reader.apply(text));
  }

  /** A power of two. */
  static ValueType<Integer> powerOfTwo(int minBits, int maxBits, String unit) {
    return new ValueType<>(
        "COUNT",
        "a power of two, 2^" + minBits + " to 2^" + maxBits + " " + unit,
        text ->
            number(text, 1L << minBits, 1L << maxBits)
                .filter(n -> Long.bitCount(n) == 1)
                .map(Math::toIntExact));
  }

  /** A time span with its unit. */
  static ValueType<Duration> duration(Duration min, Duration max) {
    return new ValueType<>(
        "DURATION",
        human(min) + " to " + human(max) + "; units ms, s, m, h, d",
        text -> span(text).filter(d -> d.compareTo(min) >= 0 && d.compareTo(max) <= 0));
  }

  /** A ZooKeeper connect string; empty text means that there is none. */
  static ValueType<String> zookeeper() {
    return new ValueType<>(
        "HOST:PORT,..",
        "host:port[,host:port...][/chroot], or empty for an embedded one",
        text -> Optional.of(text).filter(ValueType::isConnectString));
  }

  private static boolean isConnectString(String text) {
    if (text.isEmpty()) {
      return true;
    }
    int slash = text.indexOf('/');
    String servers = slash < 0 ? text : text.substring(0, slash);
    boolean chrootFits = slash < 0 || ZNODE.matcher(text.substring(slash)).matches();
    return chrootFits && Arrays.stream(servers.split(",", -1)).allMatch(ValueType::isServer);
  }

  private static boolean isServer(String text) {
    Matcher server = ENSEMBLE.matcher(text);
    return server.matches() && number(server.group(1), 1, PORT_MAX).isPresent();
  }

  /** The path of a ZooKeeper node. */
  static ValueType<String> znode() {
    return new ValueType<>(
        "PATH",
        "an absolute ZooKeeper path such as /retso/log",
        text -> Optional.of(text).filter(t -> ZNODE.matcher(t).matches()));
  }

  private static Optional<Long> number(String text, long min, long max) {
    return number(text).filter(n -> n >= min && n <= max);
  }

  /** Reads 1000, 1_000, 32M, 8Mi or 2^20. */
  private static Optional<Long> number(String text) {
    Matcher power = POWER.matcher(text);
    if (power.matches()) {
      int bits = Integer.parseInt(power.group(1));
      return bits < Long.SIZE - 1 ? Optional.of(1L << bits) : Optional.empty();
    }
    Matcher count = COUNT.matcher(text.replaceAll("(?<=\\d)_(?=\\d)", ""));
    if (!count.matches()) {
      return Optional.empty();
    }
    String prefix = count.group(2);
    long base = prefix != null && !count.group(3).isEmpty() ? 1024 : 1000;
    try {
      return Optional.of(Math.multiplyExact(Long.parseLong(count.group(1)), factor(prefix, base)));
    } catch (ArithmeticException e) {
      return Optional.empty();
    }
  }

  private static long factor(String prefix, long base) {
    if (prefix == null) {
      return 1;
    }
    return switch (prefix) {
      case "k", "K" -> base;
      case "M" -> base * base;
      default -> base * base * base;
    };
  }

  /** A time span as it is typed in settings, like 30s or 6h; empty if the text is none. */
  public static Optional<Duration> span(String text) {
    Matcher matcher = DURATION.matcher(text);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    long amount = Long.parseLong(matcher.group(1));
    return Optional.of(
        switch (matcher.group(2)) {
          case "ms" -> Duration.ofMillis(amount);
          case "s" -> Duration.ofSeconds(amount);
          case "m" -> Duration.ofMinutes(amount);
          case "h" -> Duration.ofHours(amount);
          default -> Duration.ofDays(amount);
        });
  }

  /** A count the way it can be typed: 32M, 2^28, 1000. */
  static String human(long count) {
    if (count >= 1 << 16 && Long.bitCount(count) == 1) {
      return "2^" + Long.numberOfTrailingZeros(count);
    }
    if (count >= 1_000_000 && count % 1_000_000 == 0) {
      return count / 1_000_000 + "M";
    }
    return Long.toString(count);
  }

  /** A time span the way it can be typed: 30s, 1h. */
  static String human(Duration span) {
    long ms = span.toMillis();
    if (ms % 1000 != 0) {
      return ms + "ms";
    }
    long s = ms / 1000;
    if (s == 0 || s % 60 != 0) {
      return s + "s";
    }
    if (s % 86_400 == 0) {
      return s / 86_400 + "d";
    }
    return s % 3600 == 0 ? s / 3600 + "h" : s / 60 + "m";
  }
}
