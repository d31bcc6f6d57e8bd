package io.retso.admin;

/**
 * What HBase's client says about a failure in pages, one for each of its attempts, in one line.
 * Stateless.
 */
public final class RootCause {
  private RootCause() {}

  /** The first line of the innermost cause. */
  public static String of(Throwable failure) {
    Throwable root = failure;
    while (root.getCause() != null && root.getCause() != root) {
      root = root.getCause();
    }
    String message = root.getMessage() == null ? root.toString() : root.getMessage();
    return message.lines().findFirst().orElse(root.toString());
  }
}
