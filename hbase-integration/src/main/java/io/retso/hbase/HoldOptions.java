package io.retso.hbase;

import io.retso.protocol.Holding;
import io.retso.protocol.Limits;
import io.retso.text.Visible;
import java.time.Duration;
import java.util.Objects;
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
    if (!Holding.isName(name)) {
      throw new IllegalArgumentException(
          Visible.of(name)
              + " does not name a held snapshot: a name has 1 to "
              + Limits.HOLD_NAME_CHARS_MAX
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
    boolean isTooLong = time.compareTo(Duration.ofMillis(Limits.HOLD_MILLIS_MAX)) > 0;
    if (isTooLong || !Holding.isTtl(time.toMillis())) {
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
