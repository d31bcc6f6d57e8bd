package io.retso.client;

import org.apache.yetus.audience.InterfaceAudience;

/**
 * A token that the oracle has made for a user because a region server vouches for it. Immutable;
 * has no text, as its bytes are all that another one needs.
 */
@InterfaceAudience.Private
public final class VouchedToken {
  private final byte[] bytes;
  private final long lastsMillis;

  /**
   * What the oracle says.
   *
   * @param lastsMillis for how long it counts
   */
  public VouchedToken(byte[] bytes, long lastsMillis) {
    this.bytes = bytes.clone();
    this.lastsMillis = lastsMillis;
  }

  /** Its text, in ASCII. */
  public byte[] bytes() {
    return bytes.clone();
  }

  /** For how many milliseconds it counts from the time when it was made. */
  public long lastsMillis() {
    return lastsMillis;
  }
}
