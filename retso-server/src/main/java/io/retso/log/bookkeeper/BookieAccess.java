package io.retso.log.bookkeeper;

import org.apache.bookkeeper.conf.ClientConfiguration;

/** How a server says to bookies who it is. Thread-safe. */
@FunctionalInterface
public interface BookieAccess {
  /** It does not, and speaks in clear. */
  BookieAccess OPEN = configuration -> {};

  /** Adds to the configuration of a client what that takes. */
  void configure(ClientConfiguration configuration);
}
