package io.retso.client.connection;

import io.retso.client.OracleException;
import io.retso.client.OracleException.Category;
import io.retso.protocol.OracleIdentity;
import io.retso.text.Addresses;
import io.retso.text.ErrorText;
import io.retso.tls.TlsFailure;
import java.net.InetSocketAddress;

/** What can go wrong with one server, as callers are told. Immutable. */
final class PeerErrors {
  private final String peer;

  PeerErrors(InetSocketAddress address) {
    peer = "the server at " + Addresses.text(address) + " ";
  }

  /** It is another oracle than the one that this client is for. */
  OracleException another(OracleIdentity found, OracleIdentity expected) {
    return new OracleException(
        Category.INCOMPATIBLE,
        peer
            + "is oracle "
            + found
            + ", not "
            + expected
            + ", which this client is for: what it says is about other transactions of the same"
            + " numbers. Correct the address; or, if the oracle was installed anew, restore its"
            + " log, or prepare its tables again (./retso hbase prepare) and restart this client",
        null);
  }

  OracleException unavailable(String what, Throwable cause) {
    return new OracleException(Category.UNAVAILABLE, peer + what, cause);
  }

  /** It does not take what this client said. */
  OracleException faulty(String what) {
    return new OracleException(Category.INCOMPATIBLE, peer + what, null);
  }

  OracleException incompatible(String what) {
    return faulty(
        "does not speak the protocol of this client ("
            + what
            + "); check that the address is that of an oracle and that both sides have the same"
            + " version");
  }

  OracleException notAuthenticated(String what, Throwable cause) {
    return new OracleException(Category.NOT_AUTHENTICATED, peer + what, cause);
  }

  /** It may not have what a frame asked for. */
  String notPermitted(String why) {
    return peer + "refuses: " + why;
  }

  /** The connection failed. */
  OracleException failed(Throwable cause) {
    if (TlsFailure.isInClear(cause)) {
      return notAuthenticated(
          "answered in clear: its tls is off, or it has as many connections as it may. Set tls in"
              + " its access file; until then this client may be told to prefer TLS instead of"
              + " requiring it",
          null);
    }
    if (TlsFailure.isOne(cause)) {
      return notAuthenticated(
          "and this client do not trust each other: " + TlsFailure.text(cause), null);
    }
    return unavailable("the connection failed: " + ErrorText.of(cause), cause);
  }
}
