package io.retso.tls;

import io.retso.text.ErrorText;
import io.retso.text.Visible;
import java.net.Socket;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertPathValidatorException.BasicReason;
import java.security.cert.CertStore;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.security.cert.CertificateParsingException;
import java.security.cert.CollectionCertStoreParameters;
import java.security.cert.PKIXBuilderParameters;
import java.security.cert.TrustAnchor;
import java.security.cert.X509CRL;
import java.security.cert.X509CertSelector;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import javax.net.ssl.CertPathTrustManagerParameters;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * Trusts what certain authorities have signed, as the JDK judges it, names of hosts included, and
 * says in plain words why it does not. Thread-safe.
 */
final class Trust extends X509ExtendedTrustManager {
  private final X509ExtendedTrustManager judge;
  private final Path authorities;

  private Trust(X509ExtendedTrustManager judge, Path authorities) {
    this.judge = judge;
    this.authorities = authorities;
  }

  static Trust in(Path authorities) throws TlsException {
    PemFile file = PemFile.read(authorities);
    Set<TrustAnchor> anchors = new HashSet<>();
    for (X509Certificate authority : file.certificates()) {
      anchors.add(new TrustAnchor(authority, null));
    }
    List<X509CRL> revocations = file.revocations();
    try {
      PKIXBuilderParameters rules = new PKIXBuilderParameters(anchors, new X509CertSelector());
      rules.setRevocationEnabled(!revocations.isEmpty());
      rules.addCertStore(
          CertStore.getInstance("Collection", new CollectionCertStoreParameters(revocations)));
      TrustManagerFactory factory = TrustManagerFactory.getInstance("PKIX");
      factory.init(new CertPathTrustManagerParameters(rules));
      return new Trust((X509ExtendedTrustManager) factory.getTrustManagers()[0], authorities);
    } catch (GeneralSecurityException e) {
      throw new TlsException(authorities + " cannot be used as authorities", e);
    }
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
      throws CertificateException {
    try {
      judge.checkClientTrusted(chain, type, engine);
    } catch (CertificateException e) {
      throw explained(chain[0], null, e);
    }
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
      throws CertificateException {
    try {
      judge.checkServerTrusted(chain, type, engine);
    } catch (CertificateException e) {
      throw explained(chain[0], engine.getPeerHost(), e);
    }
  }

  private CertificateException explained(
      X509Certificate certificate, String host, CertificateException e) {
    String who = Visible.of(certificate.getSubjectX500Principal().getName());
    return new CertificateException(
        "the certificate of " + who + " " + why(certificate, host, e), e);
  }

  private String why(X509Certificate certificate, String host, CertificateException e) {
    try {
      certificate.checkValidity();
    } catch (CertificateExpiredException expired) {
      return "ended at " + certificate.getNotAfter().toInstant() + ": replace it";
    } catch (CertificateNotYetValidException early) {
      return "begins at "
          + certificate.getNotBefore().toInstant()
          + ": set the clocks of both machines right, or wait";
    }
    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
      if (cause instanceof CertPathValidatorException path) {
        if (path.getReason() == BasicReason.REVOKED) {
          return "was revoked by its authority: replace it";
        }
        if (path.getReason() == BasicReason.UNDETERMINED_REVOCATION_STATUS) {
          return "cannot be looked up: "
              + authorities
              + " has no list of revoked certificates by its authority that is of today";
        }
      }
    }
    if (e.getCause() == null && host != null && ErrorText.of(e).startsWith("No ")) {
      return "is for "
          + names(certificate)
          + ", not for "
          + Visible.of(host)
          + ": correct the address, or set the name that the server is to have";
    }
    return "is by "
        + Visible.of(certificate.getIssuerX500Principal().getName())
        + ", which "
        + authorities
        + " does not have, or is not for this use: sign it by an authority of that file, or add its"
        + " authority";
  }

  private static String names(X509Certificate certificate) {
    try {
      Collection<List<?>> names = certificate.getSubjectAlternativeNames();
      return names == null
          ? "no host"
          : names.stream()
              .map(name -> Visible.of(String.valueOf(name.get(1))))
              .collect(Collectors.joining(", "));
    } catch (CertificateParsingException e) {
      return "names that cannot be read";
    }
  }

  @Override
  public X509Certificate[] getAcceptedIssuers() {
    return judge.getAcceptedIssuers();
  }

  /** By the JDK's client of HTTP, which looks at the name itself. */
  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
      throws CertificateException {
    try {
      judge.checkServerTrusted(chain, type, socket);
    } catch (CertificateException e) {
      throw explained(chain[0], null, e);
    }
  }

  // Nothing of ours asks so.

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type) {
    throw new UnsupportedOperationException();
  }
}
