package io.retso.hbase;

import java.time.Duration;
import java.util.Objects;
import java.util.regex.Pattern;
import org.apache.yetus.audience.InterfaceAudience;

/**
 * How a snapshot is held. Immutable.
 *
 * <pre>{@code
 * HoldOptions.named("nightly").ttl(Duration.ofHours(6))
 * }</pre>
 *
 * @since 0.1
 */
@InterfaceAudience.Public
public final class HoldOptions {
  /** Default of {@link #ttl(Duration)}. */
  public static final Duration TTL_DEFAULT = Duration.ofHours(1);

  /** Characters of a name. */
  public static final int NAME_LENGTH_MAX = 64;

  private static final Pattern NAME = Pattern.compile("[!-~]{1," + NAME_LENGTH_MAX + "}");
  private static final Duration SHORTEST = Duration.ofSeconds(1);
  private static final Duration LONGEST = Duration.ofDays(30);

  private final String name;
  private final Duration ttl;

  private HoldOptions(String name, Duration ttl) {
    this.name = name;
    this.ttl = ttl;
  }

  /**
   * Names the snapshot, for people: {@code retso hbase holds} lists it by that.
   *
   * @param name 1 to 64 printable characters of ASCII without blanks; no two snapshots that are
   *     held have the same one
   * @throws IllegalArgumentException if it is another text
   */
  public static HoldOptions named(String name) {
    Objects.requireNonNull(name, "the name is null: name the snapshot");
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          SnapshotToken.quoted(name)
              + " does not name a held snapshot: a name has 1 to "
              + NAME_LENGTH_MAX
              + " printable characters of ASCII without blanks");
    }
    return new HoldOptions(name, TTL_DEFAULT);
  }

  /**
   * For how long it lasts if it is not renewed. A {@link HeldSnapshot} that is open renews it, so
   * this is how long versions are kept when its process has died.
   *
   * @param time 1 s to 30 days, in milliseconds
   * @throws IllegalArgumentException if it is outside
   */
  public HoldOptions ttl(Duration time) {
    Objects.requireNonNull(time, "the time is null: leave it out for 1 h");
    if (time.compareTo(SHORTEST) < 0 || time.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException("a snapshot is held for 1 s to 30 days, not for " + time);
    }
    return new HoldOptions(name, time);
  }

  /** The name. */
  public String name() {
    return name;
  }

  /** For how long it lasts if it is not renewed. */
  public Duration ttl() {
    return ttl;
  }

  @Override
  public String toString() {
    return name + " for " + ttl;
  }
}
