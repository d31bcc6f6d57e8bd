package io.retso.server.observe;

import io.retso.security.AccessControl;
import java.util.Optional;
import java.util.Set;

/** Pages of a server that asks nothing of those that read them. */
public final class TestAccess {
  private TestAccess() {}

  public static HttpEndpoint.Access open(boolean actsFromAnywhere) {
    return new HttpEndpoint.Access(
        AccessControl.open(null), Optional::empty, actsFromAnywhere, Set.of("localhost"));
  }
}
