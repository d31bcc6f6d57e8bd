package io.retso.server.observe;

import java.net.URI;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What was asked for over HTTP/1.1 or 1.0 (RFC 9110 and 9112). Has no text of its own: a token is a
 * secret.
 *
 * @param path without its query
 * @param accept the media types that the reader accepts; empty if it did not say
 * @param host what the reader takes this server for; empty if it did not say
 * @param token that identifies the reader (RFC 6750, 2.1); empty if there is none
 * @param isMeant whether a header says that an action is meant: no page in a browser can add it to
 *     what it sends to other servers
 */
record HttpRequest(
    String method, String path, String accept, String host, String token, boolean isMeant) {
  /** The header of an action; its value is 1. */
  static final String ACTION = "x-retso-action";

  private static final String BEARER = "bearer ";

  private static final int BAD_REQUEST = 400;
  private static final int VERSION_NOT_SUPPORTED = 505;
  private static final Pattern LINE_END = Pattern.compile("\r?\n");

  /** RFC 9112, 3: the target is a path, or a whole URL from a client that takes us for a proxy. */
  private static final Pattern REQUEST_LINE =
      Pattern.compile("([A-Za-z-]+) (\\S+) HTTP/(\\d)\\.\\d");

  /** RFC 9112, 5: no blanks before the colon, and no continued lines. */
  private static final Pattern FIELD = Pattern.compile("([!#$%&'*+.^_`|~0-9A-Za-z-]+):(.*)");

  /** It is not understood. */
  static final class RefusedException extends Exception {
    private static final long serialVersionUID = 1;
    private final int status;

    private RefusedException(int status, String why) {
      super(why);
      this.status = status;
    }

    HttpEndpoint.Reply reply() {
      return new HttpEndpoint.Reply(status, HttpEndpoint.Reply.TEXT, getMessage() + "\n");
    }
  }

  /**
   * Reads the lines before the body.
   *
   * @throws RefusedException with the reply to what is no request
   */
  static HttpRequest parse(String head) throws RefusedException {
    String[] lines = LINE_END.split(head);
    Matcher first = REQUEST_LINE.matcher(lines[0]);
    if (!first.matches()) {
      throw new RefusedException(BAD_REQUEST, "not a request of HTTP/1.1");
    }
    if (!first.group(3).equals("1")) {
      throw new RefusedException(VERSION_NOT_SUPPORTED, "only HTTP/1.1 and HTTP/1.0 are spoken");
    }
    int hosts = 0;
    String host = "";
    String accept = "";
    String token = "";
    boolean isMeant = false;
    for (int i = 1; i < lines.length; i++) {
      Matcher field = FIELD.matcher(lines[i]);
      if (!field.matches()) {
        throw new RefusedException(BAD_REQUEST, "not a header field: " + lines[i]);
      }
      switch (field.group(1).toLowerCase(Locale.ROOT)) {
        case "host" -> {
          hosts++;
          host = field.group(2).trim();
        }
        case "accept" -> accept = field.group(2).trim();
        case "authorization" -> token = token(field.group(2).trim());
        case ACTION -> isMeant = field.group(2).trim().equals("1");
        default -> {} // not wanted
      }
    }
    // RFC 9112, 3.2
    if (hosts > 1 || hosts == 0 && lines[0].endsWith("1.1")) {
      throw new RefusedException(BAD_REQUEST, "a request of HTTP/1.1 has one field Host");
    }
    return new HttpRequest(first.group(1), path(first.group(2)), accept, host, token, isMeant);
  }

  private static String token(String credentials) {
    boolean isBearer = credentials.toLowerCase(Locale.ROOT).startsWith(BEARER);
    return isBearer ? credentials.substring(BEARER.length()).trim() : "";
  }

  @Override
  public String toString() {
    return method + " " + path;
  }

  private static String path(String target) throws RefusedException {
    try {
      String path = URI.create(target).getPath();
      if (path != null) {
        return path;
      }
    } catch (IllegalArgumentException e) {
      // Reported below.
    }
    throw new RefusedException(BAD_REQUEST, "not a path");
  }
}
