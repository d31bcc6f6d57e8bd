package io.retso.net;

/** What the network front counted; plain fields of its event loop. */
public final class NetCounters implements Cloneable {
  /** Connections open now. */
  public long connections;

  /** Those of them that speak in clear. */
  public long inClear;

  /** Those of them whose clients have not identified themselves. */
  public long unknown;

  /** Connections accepted since the start. */
  public long accepted;

  /** Connections closed because of an error of theirs. */
  public long rejected;

  /** Connections closed because of what they did not read, send or finish. */
  public long stalled;

  /** Request frames taken. */
  public long frames;

  /** Bytes received. */
  public long bytesIn;

  /** Times that requests had to wait because the log was behind. */
  public long logWaits;

  /** A copy, to be handed to other threads. */
  public NetCounters copy() {
    try {
      return (NetCounters) clone();
    } catch (CloneNotSupportedException e) {
      throw new AssertionError(e);
    }
  }
}
