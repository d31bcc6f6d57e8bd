package io.retso.security;

import io.retso.protocol.Authentication;
import io.retso.protocol.Authentication.Level;
import io.retso.protocol.Limits;
import io.retso.security.AccessTokens.Token;
import io.retso.security.Identity.Evidence;
import io.retso.security.Identity.Proof;
import io.retso.text.Visible;
import java.nio.charset.StandardCharsets;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * Says which client it is and what it may ask for, by an access file that may change while the
 * server runs, and the servers' secret. Thread-safe, but for {@link #tickets} and {@link
 * #receipts}.
 */
public final class AccessControl {
  /** For how long a token counts for whose bearer a region server vouches. */
  public static final long VOUCHED_MILLIS = 3_600_000;

  private final boolean insecure;
  private final LongSupplier millis;
  private final Audit audit;
  private volatile Access access = Access.OFF;

  /** Null as long as there is no secret. */
  private volatile AccessTokens tokens;

  /** Null as long as there is no keytab. */
  private volatile Kerberos kerberos;

  private volatile Tickets tickets;

  private volatile ReceiptMaker receipts;

  /**
   * Asks nothing of clients yet.
   *
   * @param insecure whether every client that need not identify itself may report sweeps; otherwise
   *     those on the server's own machine may
   * @param millis since 1970
   * @param audit hears of what is refused
   */
  public AccessControl(boolean insecure, LongSupplier millis, Audit audit) {
    this.insecure = insecure;
    this.millis = millis;
    this.audit = audit;
  }

  /** Asks nothing of clients, and never will. */
  public static AccessControl open(Tickets tickets) {
    AccessControl open = new AccessControl(false, () -> 0, Audit.NONE);
    open.tickets = tickets;
    return open;
  }

  /**
   * Goes by a secret from here on.
   *
   * @param log the id of the log
   */
  public void use(ClusterSecret secret, String log) {
    tokens = new AccessTokens(secret);
    tickets = new Tickets(secret.keys(Tickets.PURPOSE, log));
    receipts = new ReceiptMaker(secret.keys(ReceiptMaker.PURPOSE, log));
  }

  /** Goes by an access file from here on. */
  public void use(Access newAccess) {
    access = newAccess;
  }

  /** Lets clients prove their identity by Kerberos, from here on. */
  public void use(Kerberos newKerberos) {
    kerberos = newKerberos;
  }

  /** Hears what happens. */
  public Audit audit() {
    return audit;
  }

  /** What is asked of connections. */
  public Level tls() {
    return access.tls();
  }

  /** What is asked of clients. */
  public Level authentication() {
    return access.authentication();
  }

  /** Makes and checks tickets; of one thread. */
  public Tickets tickets() {
    return tickets;
  }

  /**
   * Makes receipts; of one thread. Null as long as clients need not identify themselves, and so
   * cannot be told from region servers.
   */
  public ReceiptMaker receipts() {
    return authentication() == Level.OFF ? null : receipts;
  }

  /** What a client is told that it may, or must, say of itself. */
  public Authentication.Offer offer(Peer peer, Identity identity) {
    return new Authentication.Offer(
        authentication(), identity.principal(), peer.isEncrypted() ? mechanisms() : List.of());
  }

  private List<String> mechanisms() {
    return kerberos == null
        ? List.of(Authentication.TOKEN)
        : List.of(Authentication.TOKEN, Authentication.KERBEROS);
  }

  /** Bytes of what proves a client's identity, in one AUTH frame, at most: a token has few. */
  public int credentialBytesMax() {
    return kerberos == null ? AccessTokens.CHARS_MAX : Limits.CREDENTIAL_BYTES_MAX;
  }

  /**
   * The client of a connection, before it says anything of itself.
   *
   * @throws AccessException if it is not to be talked to
   */
  public Identity greet(Peer peer) throws AccessException {
    Access now = access;
    if (now.tls() == Level.REQUIRED && !peer.isEncrypted()) {
      throw new AccessException(
          "this port takes TLS only: give the client the certificate of the oracle's authority"
              + " (retso.tls.ca), and set retso.security = required");
    }
    if (peer.certificate().isPresent()) {
      X509Certificate certificate = peer.certificate().get();
      Optional<String> principal = now.principalOf(certificate);
      if (principal.isPresent()) {
        long issued = certificate.getNotBefore().getTime();
        return known(now, peer, principal.get(), Proof.CERTIFICATE, new Evidence("", issued, 0));
      }
    }
    return now.authentication() == Level.REQUIRED ? Identity.unknown() : anonymous(peer);
  }

  /** A client that need not identify itself. */
  private Identity anonymous(Peer peer) {
    return Identity.anonymous(everybodysRoles(peer));
  }

  private Set<Role> everybodysRoles(Peer peer) {
    Role mostly = insecure || peer.isLocal() ? Role.SWEEPER : Role.APPLICATION;
    return EnumSet.of(mostly, Role.MEMBER, Role.BENCH);
  }

  /**
   * With {@code off} no client is refused. One that identifies itself owns its transactions all the
   * same: so they outlive the switch in both directions.
   */
  private Identity known(Access now, Peer peer, String principal, Proof proof, Evidence evidence)
      throws AccessException {
    Set<Role> roles = EnumSet.noneOf(Role.class);
    roles.addAll(now.rolesOf(principal, peer.host()));
    if (proof == Proof.VOUCHED) {
      roles.retainAll(Set.of(Role.APPLICATION)); // region servers are trusted with no more
    }
    if (now.authentication() == Level.OFF) {
      roles.addAll(everybodysRoles(peer));
    } else {
      now.checkRevoked(principal, evidence.tokenId(), evidence.issuedMillis());
    }
    return Identity.known(principal, roles, proof, evidence);
  }

  /** For how many milliseconds a client remains known by what it has said; 0 for ever. */
  public long lastsMillis(Identity identity) {
    long expires = identity.evidence().expiresMillis();
    return expires == 0 ? 0 : Math.max(1, expires - millis.getAsLong());
  }

  /**
   * The client of a connection, by what it says of itself.
   *
   * @throws AccessException if that proves nothing
   */
  public Identity authenticate(Peer peer, Authentication.Attempt attempt) throws AccessException {
    if (!attempt.mechanism().equals(Authentication.TOKEN)) {
      throw new AccessException(
          "this oracle does not know "
              + Visible.of(attempt.mechanism())
              + ": it takes "
              + String.join(" and ", mechanisms()));
    }
    return ofToken(peer, new String(attempt.bytes(), StandardCharsets.ISO_8859_1));
  }

  /**
   * Begins to check by Kerberos the identity of the client of a connection.
   *
   * @throws AccessException if that cannot be
   */
  public Kerberos.Exchange beginKerberos(Peer peer) throws AccessException {
    Kerberos now = kerberos;
    if (now == null) {
      throw new AccessException(
          "this oracle does not take tickets of Kerberos: set kerberos.keytab, and start it again");
    }
    if (!peer.isEncrypted()) {
      throw new AccessException(
          "a ticket of Kerberos was sent in clear: it opens connections with TLS only");
    }
    return now.begin();
  }

  /**
   * The client that has proved its identity by Kerberos.
   *
   * @param exchange which is complete
   */
  public Identity ofKerberos(Peer peer, Kerberos.Exchange exchange) throws AccessException {
    Access now = access;
    long nowMillis = millis.getAsLong();
    Kerberos.Client client = exchange.client(nowMillis);
    long expires = nowMillis + kerberos.lastsMillis();
    Evidence evidence = new Evidence("", client.authenticatedMillis(), expires);
    return known(now, peer, now.principalOf(client.name()), Proof.KERBEROS, evidence);
  }

  /** The client that has a token. */
  public Identity ofToken(Peer peer, String text) throws AccessException {
    Access now = access;
    if (!peer.isEncrypted()) {
      throw new AccessException(
          "a token was sent in clear, where others can read it: revoke it, and send the next one"
              + " inside of TLS only");
    }
    Token token = tokens.read(text, millis.getAsLong());
    Evidence evidence = new Evidence(token.id(), token.issuedMillis(), token.expiresMillis());
    Proof proof = token.vouched() ? Proof.VOUCHED : Proof.TOKEN;
    return known(now, peer, token.principal(), proof, evidence);
  }

  /**
   * Makes a token for a user of HBase, because a region server vouches for it: HBase has verified
   * its identity. It counts for {@value #VOUCHED_MILLIS} ms.
   *
   * @param user its name in HBase
   * @throws AccessException if region servers may not vouch for it
   */
  public String vouch(String user) throws AccessException {
    Access now = access;
    String principal = now.principalOf(user);
    now.checkVouched(principal);
    return tokens.make(Token.vouched(principal, millis.getAsLong(), VOUCHED_MILLIS));
  }

  /**
   * A client that was known before, as it is judged by now: roles may be others.
   *
   * @throws AccessException if it is not to be talked to any more
   */
  public Identity again(Peer peer, Identity before) throws AccessException {
    boolean isToken = before.proof() == Proof.TOKEN || before.proof() == Proof.VOUCHED;
    if (!isToken && before.proof() != Proof.KERBEROS) {
      return greet(peer);
    }
    Access now = access;
    Evidence evidence = before.evidence();
    long slack = isToken ? AccessTokens.SLACK_MILLIS : 0; // the other one is by this clock
    if (evidence.expiresMillis() + slack < millis.getAsLong()) {
      Instant end = Instant.ofEpochMilli(evidence.expiresMillis());
      throw new AccessException(
          isToken
              ? "token "
                  + evidence.tokenId()
                  + " of "
                  + before.principal()
                  + " ended at "
                  + end
                  + ": give the client a new one"
              : before.principal()
                  + " has not shown a new ticket of Kerberos until "
                  + end
                  + ": see that the client has tickets (klist)");
    }
    return known(now, peer, before.principal(), before.proof(), evidence);
  }
}
