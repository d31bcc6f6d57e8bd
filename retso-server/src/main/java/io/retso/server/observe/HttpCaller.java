package io.retso.server.observe;

import io.retso.protocol.Authentication.Level;
import io.retso.security.AccessControl;
import io.retso.security.AccessException;
import io.retso.security.Identity;
import io.retso.security.Peer;
import io.retso.security.Role;
import java.util.Optional;

/**
 * A client that asks over HTTP, and what it may have. Where clients have to identify themselves,
 * one that reads figures or asks for an action has to do so, too, and this machine is no exception:
 * a proxy or a sidecar makes every caller a local client.
 *
 * @param mayRead pages of figures, and the reason why a server is not well
 * @param mayAct actions
 * @param refusal why not, for the one who asks; empty if it may have all
 * @param identity its identity, as far as that is known
 */
record HttpCaller(boolean mayRead, boolean mayAct, String refusal, Optional<Identity> identity) {
  private static final String ACTION_IS_LOCAL =
      "only a caller on the server's machine may have it hand over; run retso handover there, or"
          + " set http.handover.remote = true";

  /**
   * Judges one that asks.
   *
   * @param token that it brought; empty if there is none
   * @param actsFromAnywhere whether actions are taken from other machines, where clients need not
   *     identify themselves
   */
  static HttpCaller of(AccessControl access, Peer peer, String token, boolean actsFromAnywhere) {
    if (access.tls() == Level.REQUIRED && !peer.isEncrypted()) {
      return new HttpCaller(
          false, false, "this port takes TLS only: ask it by https", Optional.empty());
    }
    if (access.authentication() != Level.REQUIRED) {
      boolean mayAct = actsFromAnywhere || peer.isLocal();
      return new HttpCaller(true, mayAct, mayAct ? "" : ACTION_IS_LOCAL, Optional.empty());
    }
    try {
      Identity identity = token.isEmpty() ? access.greet(peer) : access.ofToken(peer, token);
      boolean mayAct = identity.has(Role.OPERATOR);
      boolean mayRead = mayAct || identity.has(Role.METRICS);
      String who = identity.isKnown() ? identity.principal() : "a caller without a name";
      return new HttpCaller(
          mayRead,
          mayAct,
          mayAct
              ? ""
              : who
                  + " may "
                  + (mayRead
                      ? "read, and act not: that"
                      : "do nothing here but ask for health: that")
                  + " takes role operator"
                  + (mayRead ? "" : ", or metrics to read,")
                  + " by a line \"may\" of the oracle's access file, and a certificate or a token"
                  + " that identifies you",
          Optional.of(identity));
    } catch (AccessException e) {
      return new HttpCaller(false, false, e.getMessage(), Optional.empty());
    }
  }
}
