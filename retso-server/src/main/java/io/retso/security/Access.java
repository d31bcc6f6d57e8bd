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
    Map<String, Instant> revokedPrincipals,
    Set<String> revokedTokens,
    String digest) {

  /** Nothing is asked of clients. */
  public static final Access OFF =
      new Access(Level.OFF, Level.OFF, List.of(), List.of(), Map.of(), Set.of(), "");

  /** From where in a certificate a name is taken. */
  enum Source {
    CN(-1),
    DNS(2),
    URI(6);

    /** Its number in RFC 5280, 4.2.1.6. */
    private final int number;

    Source(int number) {
      this.number = number;
    }

    private List<String> of(X509Certificate certificate) {
      return this == CN ? commonNames(certificate) : alternatives(certificate);
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

  /** A name in a certificate that is wholly as the pattern says makes a principal. */
  record NameRule(Source source, Pattern pattern, String principal) {
    Optional<String> of(X509Certificate certificate) {
      for (String name : source.of(certificate)) {
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

  /** Characters of a name in a certificate, at most: what is longer matches nothing. */
  private static final int NAME_CHARS_MAX = 256;

  /** The principal that a certificate stands for; empty if no rule makes one of it. */
  Optional<String> principalOf(X509Certificate certificate) throws AccessException {
    for (NameRule rule : names) {
      Optional<String> principal = rule.of(certificate);
      if (principal.isPresent()) {
        if (!Authentication.isPrincipal(principal.get())) {
          throw new AccessException(
              "a line \"name\" of the oracle's access file makes "
                  + Visible.of(principal.get())
                  + " of this client's certificate, which is no principal: 1 to 128 printable"
                  + " characters of ASCII without blanks");
        }
        return principal;
      }
    }
    return Optional.empty();
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
