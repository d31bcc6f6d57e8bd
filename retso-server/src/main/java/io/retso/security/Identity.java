package io.retso.security;

import io.retso.protocol.FrameType;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Set;
import java.util.stream.Collectors;

/** A client, as far as it is known, and what it may ask for. Immutable. */
public final class Identity {
  /** By what a client has identified itself. */
  public enum Proof {
    NONE,
    CERTIFICATE,
    TOKEN,
    /** A token for which a region server vouches. */
    VOUCHED,
    KERBEROS
  }

  private final String principal;
  private final long owner;
  private final Set<Role> roles;
  private final long frames;
  private final Proof proof;
  private final Evidence evidence;

  /**
   * What it was known by, to be judged again.
   *
   * @param tokenId empty if it is no token
   * @param issuedMillis since 1970
   * @param expiresMillis since 1970; 0 for never
   */
  record Evidence(String tokenId, long issuedMillis, long expiresMillis) {
    static final Evidence NONE = new Evidence("", 0, 0);
  }

  private Identity(String principal, Set<Role> roles, Proof proof, Evidence evidence) {
    this.principal = principal;
    this.owner = principal.isEmpty() ? Tickets.ANYBODY : ownerOf(principal);
    this.roles = Set.copyOf(roles);
    this.frames = Role.framesOf(roles);
    this.proof = proof;
    this.evidence = evidence;
  }

  /** A client that has not identified itself, where it need not. */
  static Identity anonymous(Set<Role> roles) {
    return new Identity("", roles, Proof.NONE, Evidence.NONE);
  }

  /** A client that has not identified itself yet, where it must. */
  static Identity unknown() {
    return new Identity("", Set.of(), Proof.NONE, Evidence.NONE);
  }

  static Identity known(String principal, Set<Role> roles, Proof proof, Evidence evidence) {
    return new Identity(principal, roles, proof, evidence);
  }

  private static long ownerOf(String principal) {
    try {
      byte[] name = principal.getBytes(StandardCharsets.UTF_8);
      long owner = ByteBuffer.wrap(MessageDigest.getInstance("SHA-256").digest(name)).getLong();
      return owner == Tickets.ANYBODY ? 1 : owner;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this Java has no SHA-256", e);
    }
  }

  /** The client's name; empty if that is not known. */
  public String principal() {
    return principal;
  }

  /** Whether it must identify itself before it asks for anything. */
  public boolean isToSay() {
    return principal.isEmpty() && roles.isEmpty();
  }

  /** Whether it has identified itself. */
  public boolean isKnown() {
    return !principal.isEmpty();
  }

  /** To whom its tickets belong. */
  public long owner() {
    return owner;
  }

  Evidence evidence() {
    return evidence;
  }

  /** By what it is known. */
  public Proof proof() {
    return proof;
  }

  public boolean has(Role role) {
    return roles.contains(role);
  }

  /** Whether it may send frames of a type. */
  public boolean may(FrameType type) {
    return (frames & Role.bit(type)) != 0;
  }

  /** Why it may not send frames of a type. */
  public String refusal(FrameType type) {
    if (!isKnown()) {
      if (type == FrameType.KEYS) {
        return "this oracle proves outcomes to region servers that identify themselves: give this"
            + " one a certificate, and have auth optional or required in the oracle's access"
            + " file";
      }
      return type == FrameType.SWEPT
          ? "this oracle takes reports of sweeps from its own machine only, as clients need not"
              + " identify themselves: run ./retso hbase sweep there"
          : "this oracle wants a client to identify itself before it asks for anything";
    }
    return principal
        + " may not send "
        + type
        + ": that takes role "
        + Role.thatMay(type)
        + ", by a line \"may ROLE "
        + principal
        + "\" of the oracle's access file"
        + (type == FrameType.SWEPT ? "; or let ./retso hbase sweep do it as one that has it" : "");
  }

  /** Its roles, for people. */
  public String roles() {
    return roles.stream().map(Role::word).sorted().collect(Collectors.joining(", "));
  }
}
