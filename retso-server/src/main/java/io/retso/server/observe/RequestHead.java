package io.retso.server.observe;

import io.netty.handler.codec.TooLongFrameException;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.TooLongHttpLineException;
import java.net.URI;
import java.util.Locale;
import java.util.Optional;

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
record RequestHead(
    String method, String path, String accept, String host, String token, boolean isMeant) {
  /** The header of an action; its value is 1. */
  private static final String ACTION = "x-retso-action";

  private static final String BEARER = "bearer ";

  private static final int BAD_REQUEST = 400;
  private static final int LINE_TOO_LONG = 414;
  private static final int HEADERS_TOO_LONG = 431;
  private static final int VERSION_NOT_SUPPORTED = 505;

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
   * Takes what is wanted out of a request.
   *
   * @throws RefusedException with the reply to what is no request
   */
  static RequestHead of(HttpRequest request) throws RefusedException {
    if (request.decoderResult().isFailure()) {
      throw refused(request.decoderResult().cause());
    }
    if (request.protocolVersion().majorVersion() != 1) {
      throw new RefusedException(
          VERSION_NOT_SUPPORTED, "only HTTP/1.1 and HTTP/1.0 are spoken here");
    }
    HttpHeaders fields = request.headers();
    int hosts = fields.getAll(HttpHeaderNames.HOST).size();
    // RFC 9112, 3.2
    if (hosts > 1 || hosts == 0 && request.protocolVersion().minorVersion() > 0) {
      throw new RefusedException(BAD_REQUEST, "a request of HTTP/1.1 has one field Host");
    }
    return new RequestHead(
        request.method().name(),
        path(request.uri()),
        fields.get(HttpHeaderNames.ACCEPT, ""),
        fields.get(HttpHeaderNames.HOST, ""),
        token(fields.get(HttpHeaderNames.AUTHORIZATION, "")),
        fields.get(ACTION, "").equals("1"));
  }

  private static RefusedException refused(Throwable failure) {
    if (failure instanceof TooLongFrameException) {
      return failure instanceof TooLongHttpLineException
          ? new RefusedException(LINE_TOO_LONG, "the first line of a request has at most 2 KiB")
          : new RefusedException(HEADERS_TOO_LONG, "the headers of a request have at most 6 KiB");
    }
    return new RefusedException(BAD_REQUEST, "not a request of HTTP/1.1");
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
      return Optional.ofNullable(URI.create(target).getPath())
          .orElseThrow(IllegalArgumentException::new);
    } catch (IllegalArgumentException e) {
      throw new RefusedException(BAD_REQUEST, "not a path");
    }
  }
}
