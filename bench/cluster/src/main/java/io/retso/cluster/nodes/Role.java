package io.retso.cluster.nodes;

import java.util.Locale;

/** What a node is for. */
public enum Role {
  ZOOKEEPER(2181),
  BOOKIE(3181),
  ORACLE(7521),
  /** A host without a process of its own, from which users reach the others. */
  CLIENT(0);

  private final int port;

  Role(int port) {
    this.port = port;
  }

  /** Where it listens; 0 if it does not. */
  public int port() {
    return port;
  }

  /** The name of one of this role. */
  String nodeName(int number) {
    return name().toLowerCase(Locale.ROOT) + "-" + number;
  }
}
