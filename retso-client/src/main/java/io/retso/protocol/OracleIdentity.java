package io.retso.protocol;

import java.util.Objects;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * Which oracle it is. Timestamps and outcomes of one oracle mean nothing to another: a program that
 * keeps them keeps the id with them, and takes no others from an oracle with another id.
 *
 * @param id of its log: random, made with the log, never changed. It goes where the log goes; a log
 *     that was made anew has another one
 * @param name what people call it, in settings and messages; 1 to {@link #NAME_BYTES_MAX} letters,
 *     digits, and {@code . _ -}, of which the first is a letter or digit
 */
public record OracleIdentity(UUID id, String name) {
  /** Characters of a name, at most. */
  public static final int NAME_BYTES_MAX = 64;

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}");

  /**
   * Checks the name.
   *
   * @throws IllegalArgumentException if it is malformed
   */
  public OracleIdentity {
    Objects.requireNonNull(id, "id");
    if (!isName(name)) {
      throw new IllegalArgumentException(
          "'"
              + name
              + "' is no name of an oracle: use letters, digits, and . _ - behind the first");
    }
  }

  /** Whether an oracle may be called so. */
  public static boolean isName(String text) {
    return NAME.matcher(text).matches();
  }

  /** Whether it is the same oracle, whatever it is called now. */
  public boolean isSameAs(OracleIdentity other) {
    return id.equals(other.id);
  }

  /** For messages: {@code retso (0c9a...)}. */
  @Override
  public String toString() {
    return name + " (" + id + ")";
  }
}
