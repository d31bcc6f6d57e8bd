package io.retso.security;

import static io.retso.protocol.FrameType.ABORT;
import static io.retso.protocol.FrameType.BEGIN;
import static io.retso.protocol.FrameType.CLEANED;
import static io.retso.protocol.FrameType.COMMIT;
import static io.retso.protocol.FrameType.COMMIT_READS;
import static io.retso.protocol.FrameType.HOLD;
import static io.retso.protocol.FrameType.HOLDS;
import static io.retso.protocol.FrameType.KEYS;
import static io.retso.protocol.FrameType.RELEASE;
import static io.retso.protocol.FrameType.RENEW;
import static io.retso.protocol.FrameType.SAFE;
import static io.retso.protocol.FrameType.STATUS;
import static io.retso.protocol.FrameType.SWEPT;
import static io.retso.protocol.FrameType.TIMESTAMP;
import static io.retso.protocol.FrameType.VOUCH;
import static io.retso.protocol.FrameType.WATERMARK;

import io.retso.protocol.FrameType;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** What a client is for, and with it what it may ask for. A principal may have several. */
public enum Role {
  /** Has transactions of its own. */
  APPLICATION(
      BEGIN,
      TIMESTAMP,
      SAFE,
      WATERMARK,
      STATUS,
      COMMIT,
      COMMIT_READS,
      ABORT,
      CLEANED,
      HOLD,
      RENEW,
      RELEASE,
      HOLDS),
  /** Asks what became of the transactions of others, whose data it has. */
  REGION_SERVER(STATUS, WATERMARK, KEYS, VOUCH),
  /** An application that also reports sweeps, because of which the oracle forgets commits. */
  SWEEPER(APPLICATION, SWEPT),
  /** A person that hands the lead over, ends held snapshots, and reads all pages. */
  OPERATOR(RELEASE, HOLDS),
  /** Another server of the same log, which watches the one that leads. */
  MEMBER(),
  /** Reads the pages of figures. */
  METRICS(),
  /** Measures the network with an echo. */
  BENCH();

  /** What every client may send, also one that is not known yet. */
  private static final Set<FrameType> ALWAYS =
      Set.of(FrameType.HELLO, FrameType.PING, FrameType.AUTH);

  private final long frames;

  Role(FrameType... frames) {
    this.frames = bits(List.of(frames));
  }

  /** What another role may send, and more. */
  Role(Role other, FrameType... more) {
    this.frames = other.frames | bits(List.of(more));
  }

  static long bits(Iterable<FrameType> types) {
    long bits = 0;
    for (FrameType type : types) {
      bits |= bit(type);
    }
    return bits;
  }

  static long bit(FrameType type) {
    return 1L << type.ordinal();
  }

  /** The frames that clients of these roles may send, as {@link #bit}s. */
  static long framesOf(Set<Role> roles) {
    long bits = bits(ALWAYS);
    for (Role role : roles) {
      bits |= role.frames;
    }
    return bits;
  }

  /** All roles that let clients send a frame, for a message. */
  static String thatMay(FrameType type) {
    return Arrays.stream(values())
        .filter(role -> (role.frames & bit(type)) != 0)
        .map(Role::word)
        .collect(Collectors.joining(" or "));
  }

  /** How it is written in an access file. */
  public String word() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  static Optional<Role> of(String word) {
    return Arrays.stream(values()).filter(role -> role.word().equals(word)).findFirst();
  }
}
