package io.retso.security;

import io.retso.protocol.Authentication;
import io.retso.protocol.Limits;
import io.retso.text.ErrorText;
import io.retso.text.KerberosText;
import io.retso.tls.PrivateFile;
import java.io.IOException;
import java.nio.file.Path;
import java.security.PrivilegedActionException;
import java.security.PrivilegedExceptionAction;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import javax.security.auth.Subject;
import javax.security.auth.callback.Callback;
import javax.security.auth.kerberos.KerberosPrincipal;
import javax.security.auth.kerberos.KeyTab;
import javax.security.sasl.AuthorizeCallback;
import javax.security.sasl.Sasl;
import javax.security.sasl.SaslException;
import javax.security.sasl.SaslServer;

/**
 * Checks the identity of clients by Kerberos, with the keys of a keytab: no server of Kerberos is
 * asked. The keytab may be replaced at any time; the JDK reads it for each client. Thread-safe.
 */
public final class Kerberos {
  /** Stands for the server's host in the name of its principal. */
  public static final String HOST = "_HOST";

  private static final int KEYTAB_BYTES_MAX = 1 << 20;

  /** TLS protects what follows. */
  private static final Map<String, String> PROPERTIES = Map.of(Sasl.QOP, "auth");

  /** When the client has shown a password or a keytab to Kerberos, as the JDK tells it. */
  private static final String AUTHENTICATED = "com.sun.security.jgss.inquiretype.krb5_get_authtime";

  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("uuuuMMddHHmmssX", Locale.ROOT);

  private final Subject subject;
  private final Duration lasts;

  /**
   * A client that has proved its identity.
   *
   * @param name its name in Kerberos, with its realm
   * @param authenticatedMillis when it has shown a password or a keytab to Kerberos, since 1970
   */
  public record Client(String name, long authenticatedMillis) {}

  private Kerberos(Subject subject, Duration lasts) {
    this.subject = subject;
    this.lasts = lasts;
  }

  /**
   * Reads a keytab.
   *
   * @param principal name of the service; the realm of krb5.conf is added if it has none
   * @param lasts for how long it counts that a client has proved its identity. The JDK does not
   *     tell when a ticket ends, but takes none that has ended: so a client is known for so much
   *     longer at most
   * @throws AccessException if it has no key for the principal, or others can read it
   */
  public static Kerberos read(String principal, Path keytab, Duration lasts)
      throws AccessException {
    try {
      PrivateFile.read(keytab, KEYTAB_BYTES_MAX);
    } catch (IOException e) {
      throw new AccessException("cannot use kerberos.keytab: " + ErrorText.of(e));
    }
    KerberosPrincipal name;
    try {
      name = new KerberosPrincipal(principal, KerberosPrincipal.KRB_NT_SRV_HST);
    } catch (IllegalArgumentException e) {
      throw new AccessException(
          "kerberos.principal = "
              + principal
              + " cannot be used ("
              + ErrorText.of(e)
              + "): write it with its realm, as retso/host@REALM, or have default_realm in"
              + " krb5.conf");
    }
    KeyTab keys = KeyTab.getInstance(name, keytab.toFile());
    if (keys.getKeys(name).length == 0) {
      throw new AccessException(
          keytab
              + " has no key of "
              + name
              + ": give it that principal's (ktadd), or correct kerberos.principal");
    }
    return new Kerberos(new Subject(true, Set.of(name), Set.of(), Set.of(keys)), lasts);
  }

  long lastsMillis() {
    return lasts.toMillis();
  }

  /** Begins to check a client's identity. */
  Exchange begin() {
    return new Exchange();
  }

  /**
   * The steps by which one client proves its identity. Each takes the client's word first, which
   * takes long and may be done on any thread, and is looked at then.
   */
  public final class Exchange {
    private SaslServer server;
    private int rounds;
    private byte[] challenge;
    private AccessException refusal;

    private Exchange() {}

    /** Takes what a client says: some hundred microseconds, or a millisecond. */
    public void take(byte[] response) {
      try {
        if (++rounds > Limits.AUTHENTICATION_ROUNDS_MAX) {
          refusal =
              new AccessException(
                  "a client does not come to an end with Kerberos: use one of this version");
        } else {
          challenge =
              Subject.doAs(subject, (PrivilegedExceptionAction<byte[]>) () -> evaluate(response));
        }
      } catch (PrivilegedActionException | RuntimeException | Error e) { // the JDK may lack a part
        refusal =
            new AccessException(
                "this oracle does not take the client's ticket ("
                    + KerberosText.reason(e)
                    + "): "
                    + KerberosText.remedyOfServer(e));
      }
    }

    private byte[] evaluate(byte[] response) throws SaslException {
      if (server == null) {
        // By no name: it goes by the one principal of the subject, and asks no DNS.
        server =
            Sasl.createSaslServer(
                Authentication.KERBEROS, "retso", null, PROPERTIES, Exchange::authorize);
        if (server == null) {
          throw new SaslException("this Java lacks the module jdk.security.jgss");
        }
      }
      byte[] answer = server.evaluateResponse(response);
      return answer == null ? new byte[0] : answer;
    }

    /** A client speaks for itself only. */
    private static void authorize(Callback... callbacks) {
      for (Callback callback : callbacks) {
        if (callback instanceof AuthorizeCallback asked) {
          asked.setAuthorized(asked.getAuthenticationID().equals(asked.getAuthorizationID()));
        }
      }
    }

    /** What the client is to answer next. */
    public byte[] challenge() {
      return challenge;
    }

    /** Whether the client is identified. */
    public boolean isComplete() throws AccessException {
      if (refusal != null) {
        throw refusal;
      }
      return server.isComplete();
    }

    /** The client, after the last step. */
    Client client(long nowMillis) {
      return new Client(server.getAuthorizationID(), authenticated(nowMillis));
    }

    private long authenticated(long nowMillis) {
      Object time = server.getNegotiatedProperty(AUTHENTICATED);
      try {
        return time == null ? nowMillis : TIME.parse(time.toString(), Instant::from).toEpochMilli();
      } catch (DateTimeException e) {
        return nowMillis;
      }
    }
  }
}
