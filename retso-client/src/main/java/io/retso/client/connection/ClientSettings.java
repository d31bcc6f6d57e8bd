package io.retso.client.connection;

import io.retso.client.ClientSecurity;
import io.retso.protocol.Handshake;
import io.retso.protocol.OracleIdentity;
import java.net.InetSocketAddress;
import java.util.List;

/**
 * What a client was built with; checked by the builder. Immutable.
 *
 * @param pingNanos period of pings to the leader
 * @param expected the oracle that it is for; null for the first that answers
 * @param security null to speak in clear
 */
public record ClientSettings(
    List<InetSocketAddress> addresses,
    String name,
    Handshake.Mode mode,
    int connections,
    int outstandingMax,
    long requestTimeoutNanos,
    long connectTimeoutNanos,
    long backoffMinNanos,
    long backoffMaxNanos,
    long pingNanos,
    long seed,
    OracleIdentity expected,
    ClientSecurity security) {

  /**
   * How long an oracle may owe replies without sending a byte before its connection counts as dead:
   * half the time-out of a request, which leaves the other half for asking again elsewhere.
   */
  long silenceNanosMax() {
    return requestTimeoutNanos / 2;
  }

  /** Whether answers mean anything; an echoing server knows no timestamps. */
  boolean isOracle() {
    return mode == Handshake.Mode.ORACLE;
  }
}
