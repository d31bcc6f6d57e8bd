package io.retso.text;

import java.io.EOFException;
import java.io.FileNotFoundException;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.UnsupportedAddressTypeException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;

/**
 * What an exception of the language or of a library says to a person. Many of them have no message,
 * or one that is the path or the host only: what happened is in the name of their class. A program
 * that reports them asks here, and not for their message. Stateless.
 */
public final class ErrorText {
  private static final String NO_IPV6 =
      "addresses of IPv6 cannot be used here: this machine has none, or its JVM was started with"
          + " -Djava.net.preferIPv4Stack=true";

  /** What Netty's own sockets put before the reason that the system gives. */
  private static final Pattern SYSTEM_CALL =
      Pattern.compile("^\\w+\\(\\.\\.\\) failed with error\\(-\\d+\\): ");

  private ErrorText() {}

  /** What happened, in a part of a sentence; never null or empty. */
  public static String of(Throwable e) {
    if (e instanceof FileSystemException file) {
      return ofFile(file);
    }
    if (e instanceof UnknownHostException) {
      return e.getMessage() == null ? "the host is not known" : ofUnknownHost(e.getMessage());
    }
    if (e instanceof CharacterCodingException) {
      return "it has bytes that are no text in UTF-8";
    }
    String message = e.getMessage();
    if (message == null || message.isBlank()) {
      return ofClass(e);
    }
    String reason = SYSTEM_CALL.matcher(message).replaceFirst("");
    boolean hasNoIpv6 =
        reason.startsWith("Address family not supported by protocol")
            || e instanceof SocketException && reason.equals("Protocol family unavailable");
    return hasNoIpv6 ? NO_IPV6 : reason;
  }

  private static String ofFile(FileSystemException e) {
    String files = e.getOtherFile() == null ? e.getFile() : e.getFile() + " -> " + e.getOtherFile();
    if (e.getReason() != null) {
      return files + ": " + e.getReason();
    }
    if (e instanceof NoSuchFileException) {
      return files + " does not exist";
    } else if (e instanceof AccessDeniedException) {
      return files + ": permission denied";
    } else if (e instanceof FileAlreadyExistsException) {
      return files + " exists, and is not what is needed there";
    } else if (e instanceof NotDirectoryException) {
      return files + " is no directory";
    } else if (e instanceof DirectoryNotEmptyException) {
      return files + " is a directory that is not empty";
    }
    return files + ": " + named(e);
  }

  /** Some of the JDK's have the host alone, others say what is wrong with it. */
  private static String ofUnknownHost(String message) {
    return message.matches("\\S*") ? "the host " + message + " is not known" : message;
  }

  private static String ofClass(Throwable e) {
    if (e instanceof UnsupportedAddressTypeException) {
      return NO_IPV6;
    } else if (e instanceof UnresolvedAddressException) {
      return "the host is not known";
    } else if (e instanceof ClosedChannelException) {
      return "the connection or file was closed";
    } else if (e instanceof EOFException) {
      return "it ended early";
    } else if (e instanceof FileNotFoundException) {
      return "a file does not exist";
    } else if (e instanceof TimeoutException) {
      return "no answer came in time";
    } else if (e instanceof CancellationException) {
      return "it was cancelled";
    } else if (e instanceof InterruptedException) {
      return "the thread was interrupted";
    }
    return e.getCause() == null || e.getCause() == e
        ? named(e)
        : named(e) + ": " + of(e.getCause());
  }

  private static String named(Throwable e) {
    String name = e.getClass().getSimpleName();
    return name.isEmpty() ? e.getClass().getName() : name;
  }
}
