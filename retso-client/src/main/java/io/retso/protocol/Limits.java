package io.retso.protocol;

/** Limits of the wire. Beyond each of them a peer gets a clear error, never a surprise. */
public final class Limits {
  /** Bytes of a frame behind its length field, at most: 1 MiB. */
  public static final int FRAME_BYTES_MAX = 1 << 20;

  /** Requests in one frame, at most: it is carried out whole, in some milliseconds. */
  public static final int FRAME_REQUESTS_MAX = 1 << 14;

  /** Begins or commits of one frame, at most: each takes a timestamp. */
  public static final int FRAME_TIMESTAMPS_MAX = 4_096;

  /** Rows that one transaction may write, at most. */
  public static final int TRANSACTION_ROWS_MAX = 100_000;

  /**
   * Ids of all lists of one COMMIT_READS, at most: a client that writes as many rows as it may can
   * still name two granules of each of hundreds of tables. Such a request fits into one frame.
   */
  public static final int TRANSACTION_IDS_MAX = TRANSACTION_ROWS_MAX + 2_000;

  /** Bytes of UTF-8 in a client's name, at most. */
  public static final int CLIENT_NAME_BYTES_MAX = 64;

  /** Bytes of UTF-8 in an error message, at most; longer ones are cut. */
  public static final int ERROR_TEXT_BYTES_MAX = 1024;

  /** Servers that share a log, at most. */
  public static final int MEMBERS_MAX = 16;

  /** Characters of an address of a server, at most; all are ASCII. */
  public static final int ADDRESS_BYTES_MAX = 255;

  /** Characters of a principal, the name of a client, at most; printable ASCII. */
  public static final int PRINCIPAL_CHARS_MAX = 128;

  /**
   * Bytes of what proves a client's identity, in one AUTH frame, at most: tickets of Kerberos have
   * up to 48,000 where they name the groups of a user.
   */
  public static final int CREDENTIAL_BYTES_MAX = (64 << 10) - 1;

  /** AUTH frames until a client is identified, at most. */
  public static final int AUTHENTICATION_ROUNDS_MAX = 4;

  /** Mechanisms by which a server lets clients identify themselves, at most. */
  public static final int MECHANISMS_MAX = 8;

  /** Snapshots that are held at a time, at most; so many requests of a frame are about them. */
  public static final int HOLDS_MAX = 64;

  /** Characters of the name of a held snapshot, at most; printable ASCII. */
  public static final int HOLD_NAME_CHARS_MAX = 64;

  /** A held snapshot that is not renewed lasts for so many milliseconds, at least: 1 s. */
  public static final long HOLD_MILLIS_MIN = 1_000;

  /** A held snapshot that is not renewed lasts for so many milliseconds, at most: 30 days. */
  public static final long HOLD_MILLIS_MAX = 30L * 24 * 60 * 60 * 1_000;

  /** A step of a commit takes so many microseconds, at most; longer ones are cut: a day. */
  public static final long STEP_MICROS_MAX = 24L * 60 * 60 * 1_000_000;

  private Limits() {}
}
