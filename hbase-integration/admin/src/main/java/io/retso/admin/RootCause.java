package io.retso.admin;

import io.retso.text.ErrorText;

/**
 * What HBase's client says about a failure in pages, one for each of its attempts, in one line.
 * Stateless.
 */
public final class RootCause {
  private RootCause() {}

  /** The first line of the innermost cause. */
  public static String of(Throwable failure) {
    Throwable root = root(failure);
    return ErrorText.of(root).lines().findFirst().orElse(root.toString());
  }

  /** The innermost cause, with all its lines in one. */
  static String whole(Throwable failure) {
    return ErrorText.of(root(failure)).strip().replaceAll("\\s*\\R\\s*", " ");
  }

  private static Throwable root(Throwable failure) {
    Throwable root = failure;
    while (root.getCause() != null && root.getCause() != root) {
      root = root.getCause();
    }
    return root;
  }
}
