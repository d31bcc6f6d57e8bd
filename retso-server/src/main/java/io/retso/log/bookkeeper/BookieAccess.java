package io.retso.log.bookkeeper;

import java.nio.file.Path;
import org.apache.bookkeeper.conf.ClientConfiguration;
import org.apache.bookkeeper.tls.TLSContextFactory;

/** How a server identifies itself to bookies. Thread-safe. */
@FunctionalInterface
public interface BookieAccess {
  /** It does not, and speaks in clear. */
  BookieAccess OPEN = configuration -> {};

  /** How often files are looked at. */
  int FILES_SECONDS = 10;

  /** Adds to the configuration of a client what that takes. */
  void configure(ClientConfiguration configuration);

  /**
   * By TLS, in which both sides show certificates, and the bookie's must be for the host at which
   * it is. Files are read again when they change.
   *
   * @param certificate file in PEM, with those of the authorities between it and one of {@code ca}
   * @param key file in PEM, PKCS#8 without a password
   * @param ca file in PEM with the authorities that sign those of bookies
   */
  static BookieAccess byCertificate(Path certificate, Path key, Path ca) {
    return configuration -> {
      configuration.setTLSProviderFactoryClass(TLSContextFactory.class.getName());
      configuration.setTLSClientAuthentication(true);
      configuration.setTLSKeyStoreType(TLSContextFactory.KeyStoreType.PEM.toString());
      configuration.setTLSKeyStore(key.toString());
      configuration.setTLSCertificatePath(certificate.toString());
      configuration.setTLSTrustStoreType(TLSContextFactory.KeyStoreType.PEM.toString());
      configuration.setTLSTrustStore(ca.toString());
      configuration.setHostnameVerificationEnabled(true);
      configuration.setTLSCertFilesRefreshDurationSeconds(FILES_SECONDS);
    };
  }
}
