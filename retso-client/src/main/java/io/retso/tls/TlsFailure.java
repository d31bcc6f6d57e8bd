package io.retso.tls;

import io.netty.handler.ssl.NotSslRecordException;
import io.netty.handler.ssl.SslHandshakeTimeoutException;
import io.retso.text.ErrorText;
import io.retso.text.Visible;
import java.nio.channels.ClosedChannelException;
import java.security.cert.CertificateException;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;

/** What a failure of TLS means to a person: no line of it is a stack trace. Stateless. */
public final class TlsFailure {
  /** How the JDK and BoringSSL name what the other side has sent before it ended. */
  private static final Pattern ALERT =
      Pattern.compile("(?i).*(?:fatal alert: |ALERT_)([a-z_ ]+).*", Pattern.DOTALL);

  private TlsFailure() {}

  /** Whether TLS failed, and not the connection beneath it. */
  public static boolean isOne(Throwable e) {
    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
      if (cause instanceof SSLException || cause instanceof CertificateException) {
        return !(cause instanceof SslHandshakeTimeoutException);
      }
    }
    return false;
  }

  /** Whether the other side answered in clear. */
  public static boolean isInClear(Throwable e) {
    return find(e, NotSslRecordException.class) != null;
  }

  /** What happened, in a part of a sentence. */
  public static String text(Throwable e) {
    if (isInClear(e)) {
      return "it speaks in clear";
    }
    CertificateException certificate = find(e, CertificateException.class);
    if (certificate != null) {
      return ErrorText.of(certificate);
    }
    SSLException failure = find(e, SSLException.class);
    String message = failure == null ? ErrorText.of(e) : ErrorText.of(failure);
    Matcher alert = ALERT.matcher(message);
    if (alert.matches()) {
      return "the other side refused: " + alert.group(1).trim().toLowerCase(Locale.ROOT);
    }
    return find(e, ClosedChannelException.class) != null
        ? "the other side closed the connection"
        : Visible.of(message);
  }

  /** The outermost cause of a kind whose own causes are of none; null if there is none. */
  private static <T extends Throwable> T find(Throwable e, Class<T> kind) {
    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
      if (kind.isInstance(cause)) {
        return kind.cast(cause);
      }
    }
    return null;
  }
}
