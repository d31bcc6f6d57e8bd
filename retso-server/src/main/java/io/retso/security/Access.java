package io.retso.security;

import io.retso.protocol.Authentication;
import io.retso.protocol.Authentication.Level;
import io.retso.text.Visible;
import java.net.InetAddress;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;

/**
 * What an access file says: what is asked of clients, which names they have, what they may do, and
 * whose word counts no more. Immutable; {@link AccessFile} reads it.
 *
 * @param digest of the text that it was read from, for comparing servers; empty if there is none
 */
public record Access(
    Level tls,
    Level authentication,
    List<NameRule> names,
    List<Grant> grants,
    List<Pattern> vouched,
    Map<String, Instant> revokedPrincipals,
    Set<String> revokedTokens,
    String digest) {

  /** Nothing is asked of clients. */
  public static final Access OFF =
      new Access(Level.OFF, Level.OFF, List.of(), List.of(), List.of(), Map.of(), Set.of(), "");

  /** From where a name is taken: from a certificate, or from Kerberos. */
  enum Source {
    CN(-1),
    DNS(2),
    URI(6),
    KRB(-1);

    /** Its number in RFC 5280, 4.2.1.6; -1 for one that is found elsewhere. */
    private final int number;

    Source(int number) {
      this.number = number;
    }

    private List<String> of(X509Certificate certificate) {
      return switch (this) {
        case CN -> commonNames(certificate);
        case DNS, URI -> alternatives(certificate);
        case KRB -> List.of();
      };
    }

    private static List<String> commonNames(X509Certificate certificate) {
      try {
        List<String> found = new ArrayList<>();
        for (Rdn rdn : new LdapName(certificate.getSubjectX500Principal().getName()).getRdns()) {
          if (rdn.getType().equalsIgnoreCase("CN") && rdn.getValue() instanceof String name) {
            found.add(name);
          }
        }
        return found;
      } catch (InvalidNameException e) {
        return List.of();
      }
    }

    private List<String> alternatives(X509Certificate certificate) {
      try {
        Collection<List<?>> names = certificate.getSubjectAlternativeNames();
        return names == null
            ? List.of()
            : names.stream()
                .filter(name -> name.get(0).equals(number))
                .map(name -> (String) name.get(1))
                .toList();
      } catch (CertificateParsingException e) {
        return List.of();
      }
    }
  }

  /** A name that is wholly as the pattern says makes a principal. */
  record NameRule(Source source, Pattern pattern, String principal) {
    Optional<String> of(List<String> some) {
      for (String name : some) {
        Matcher matcher = pattern.matcher(name);
        if (name.length() <= NAME_CHARS_MAX && matcher.matches()) {
          return Optional.of(matcher.replaceFirst(principal));
        }
      }
      return Optional.empty();
    }
  }

  /** Principals of a pattern have a role, if they come from one of some networks. */
  record Grant(Role role, Pattern principals, List<Networks> from) {
    boolean isFor(String principal, Optional<InetAddress> host) {
      return principals.matcher(principal).matches()
          && (from.isEmpty()
              || host.isPresent() && from.stream().anyMatch(some -> some.has(host.get())));
    }
  }

  /** Characters of a name that is looked at, at most: what is longer matches nothing. */
  private static final int NAME_CHARS_MAX = 256;

  /** The principal that a certificate stands for; empty if no rule makes one of it. */
  Optional<String> principalOf(X509Certificate certificate) throws AccessException {
    for (NameRule rule : names) {
      Optional<String> principal = rule.of(rule.source.of(certificate));
      if (principal.isPresent()) {
        return Optional.of(checked(principal.get(), "certificate"));
      }
    }
    return Optional.empty();
  }

  /** The principal that a name of Kerberos stands for. */
  String principalOf(String kerberosName) throws AccessException {
    for (NameRule rule : names) {
      Optional<String> principal =
          rule.source == Source.KRB ? rule.of(List.of(kerberosName)) : Optional.empty();
      if (principal.isPresent()) {
        return checked(principal.get(), "name in Kerberos");
      }
    }
    throw new AccessException(
        "the oracle's access file has no line \"name KRB PATTERN = PRINCIPAL\" for "
            + Visible.of(kerberosName)
            + ": add one, such as name KRB ([^/@]+)(/[^@]+)?@REALM = $1");
  }

  private static String checked(String principal, String source) throws AccessException {
    if (!Authentication.isPrincipal(principal)) {
      throw new AccessException(
          "a line \"name\" of the oracle's access file makes "
              + Visible.of(principal)
              + " of this client's "
              + source
              + ", which is no principal: 1 to 128 printable characters of ASCII without blanks");
    }
    return principal;
  }

  Set<Role> rolesOf(String principal, Optional<InetAddress> host) {
    Set<Role> roles = EnumSet.noneOf(Role.class);
    for (Grant grant : grants) {
      if (grant.isFor(principal, host)) {
        roles.add(grant.role);
      }
    }
    return Set.copyOf(roles);
  }

  /** Refuses a principal for which region servers may not vouch. */
  void checkVouched(String principal) throws AccessException {
    if (vouched.stream().noneMatch(pattern -> pattern.matcher(principal).matches())) {
      throw new AccessException(
          "region servers may not vouch for "
              + principal
              + ": that takes a line \"vouch "
              + principal
              + "\" of the oracle's access file");
    }
  }

  /** Refuses what counts no more. */
  void checkRevoked(String principal, String tokenId, long issuedMillis) throws AccessException {
    Instant before = revokedPrincipals.get(principal);
    if (before != null && Instant.ofEpochMilli(issuedMillis).isBefore(before)) {
      throw new AccessException(
          "what proved to the oracle that a client is " + principal + " was revoked: get another");
    }
    if (revokedTokens.contains(tokenId)) {
      throw new AccessException("token " + tokenId + " of " + principal + " was revoked");
    }
  }
}
