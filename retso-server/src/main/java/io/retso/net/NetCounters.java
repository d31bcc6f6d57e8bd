package io.retso.net;

/** What the network front counted; plain fields of its event loop. */
public final class NetCounters {
  /** Connections open now. */
  public long connections;

  /** Connections accepted since the start. */
  public long accepted;

  /** Connections closed because of an error of theirs. */
  public long rejected;

  /** Connections closed because they did not read their replies. */
  public long stalled;

  /** Request frames taken. */
  public long frames;

  /** Bytes received. */
  public long bytesIn;

  /** Times that requests had to wait because the log was behind. */
  public long logWaits;

  /** Copies every field of another. */
  public void copyFrom(NetCounters other) {
    connections = other.connections;
    accepted = other.accepted;
    rejected = other.rejected;
    stalled = other.stalled;
    frames = other.frames;
    bytesIn = other.bytesIn;
    logWaits = other.logWaits;
  }
}
