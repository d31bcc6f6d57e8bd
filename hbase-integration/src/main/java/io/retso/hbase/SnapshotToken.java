package io.retso.hbase;

import java.util.Objects;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.yetus.audience.InterfaceAudience;

/**
 * Names a snapshot to other processes: a {@link HeldSnapshot} has one. As text it is {@code
 * retso1:ORACLE:TIMESTAMP}, which may travel in a setting, an argument or a file; it is no secret,
 * and gives no rights. Immutable.
 *
 * @param oracle id of the oracle whose snapshot it is
 * @param timestamp of the snapshot, positive and a multiple of 16
 * @since 0.1
 */
@InterfaceAudience.Public
public record SnapshotToken(UUID oracle, long timestamp) {
  /** The distance of an oracle's timestamps. */
  private static final int GAP = 16;

  private static final String PREFIX = "retso1:";
  private static final int SHOWN_MAX = 80;
  private static final Pattern FORM =
      Pattern.compile(
          PREFIX + "([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}):([0-9]{1,19})");

  /**
   * Checks the timestamp.
   *
   * @throws IllegalArgumentException if it is none
   */
  public SnapshotToken {
    Objects.requireNonNull(oracle, "the oracle's id is null");
    if (timestamp <= 0 || timestamp % GAP != 0) {
      throw new IllegalArgumentException(
          timestamp + " is no timestamp of an oracle: take the token of a held snapshot");
    }
  }

  /**
   * The token with this text.
   *
   * @throws IllegalArgumentException if it is not that of a token; says what it is instead
   */
  public static SnapshotToken parse(String text) {
    Objects.requireNonNull(text, "the token is null: pass what HeldSnapshot.token() prints");
    Matcher parts = FORM.matcher(text);
    if (!parts.matches()) {
      boolean isLater = text.startsWith("retso") && !text.startsWith(PREFIX);
      throw new IllegalArgumentException(
          quoted(text)
              + (isLater
                  ? " is a token of another version of ReTSO: use that one"
                  : " is no token of a snapshot: it looks like retso1:ID-OF-THE-ORACLE:TIMESTAMP,"
                      + " as HeldSnapshot.token() and 'retso hbase hold' print it"));
    }
    long timestamp;
    try {
      timestamp = Long.parseLong(parts.group(2));
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(text + " ends with a number that is no timestamp", e);
    }
    return new SnapshotToken(UUID.fromString(parts.group(1)), timestamp);
  }

  /** What a message can show of a text. */
  static String quoted(String text) {
    String shown = text.length() <= SHOWN_MAX ? text : text.substring(0, SHOWN_MAX) + "...";
    return "'" + shown.replaceAll("[^ -~]", "?") + "'";
  }

  @Override
  public String toString() {
    return PREFIX + oracle + ":" + timestamp;
  }
}
