package io.retso.text;

import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What failures of Kerberos say to a person. The JDK's say it in the innermost of several
 * exceptions, with the number of RFC 4120, 7.5.9, or one of the JDK's own, in parentheses.
 * Stateless.
 */
public final class KerberosText {
  private static final Pattern NUMBER = Pattern.compile("\\((\\d{1,3})\\)");
  private static final int CAUSES_MAX = 16;
  private static final int NO_NUMBER = -1;
  private static final int CLIENT_UNKNOWN = 6;
  private static final int SERVER_UNKNOWN = 7;
  private static final int EXPIRED = 32;
  private static final int SKEW = 37;

  private static final String KEYTAB =
      "give the server the keytab of its principal as the Kerberos servers have it"
          + " (kerberos.keytab), and the client new tickets";

  private static final Map<Integer, String> OF_SERVER =
      Map.of(
          SKEW, "set the clocks of both machines right",
          EXPIRED, "let the client get new tickets (kinit)");

  private static final Map<Integer, String> OF_CLIENT =
      Map.of(
          SKEW, "set the clocks of this machine and of the Kerberos servers right",
          EXPIRED, "get new tickets (kinit), or let the client use a keytab",
          CLIENT_UNKNOWN, "add this client's principal to the Kerberos servers",
          SERVER_UNKNOWN,
              "add that principal to the Kerberos servers and its keytab to the oracle, or correct"
                  + " the oracle's address");

  private KerberosText() {}

  /** What happened, in a part of a sentence. */
  public static String reason(Throwable e) {
    return Visible.of(ErrorText.of(told(e)).strip());
  }

  /**
   * The JDK's own exception of Kerberos, which may have causes that say less; or the last cause.
   */
  private static Throwable told(Throwable e) {
    Throwable last = e;
    for (int i = 0; i < CAUSES_MAX && last.getCause() != null && !isOfKerberos(last); i++) {
      last = last.getCause();
    }
    return last;
  }

  private static boolean isOfKerberos(Throwable e) {
    return e.getClass().getName().startsWith("sun.security.krb5.");
  }

  /** What to do about a ticket that a server does not take. */
  public static String remedyOfServer(Throwable e) {
    return isOfKerberos(told(e))
        ? OF_SERVER.getOrDefault(number(e), KEYTAB)
        : "use a client of this version";
  }

  /** What to do where a client gets no ticket. */
  public static String remedyOfClient(Throwable e) {
    return OF_CLIENT.getOrDefault(
        number(e),
        "see that the client has tickets (klist), and that the Kerberos servers of krb5.conf"
            + " answer");
  }

  /** Whether it may pass without a person: no server of Kerberos answered. */
  public static boolean mayPass(Throwable e) {
    return number(e) == NO_NUMBER && hasIoCause(e);
  }

  private static boolean hasIoCause(Throwable e) {
    Throwable cause = e;
    for (int i = 0; i < CAUSES_MAX && cause != null; i++) {
      if (cause instanceof SocketException || cause instanceof SocketTimeoutException) {
        return true;
      }
      cause = cause.getCause();
    }
    return false;
  }

  private static int number(Throwable e) {
    Matcher matcher = NUMBER.matcher(ErrorText.of(told(e)));
    return matcher.find() ? Integer.parseInt(matcher.group(1)) : NO_NUMBER;
  }
}
