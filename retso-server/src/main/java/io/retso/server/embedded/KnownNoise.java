package io.retso.server.embedded;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.filter.Filter;
import ch.qos.logback.core.spi.FilterReply;
import java.util.List;

/**
 * Keeps back warnings of the libraries that appear at each healthy start or stop, so that a warning
 * in the output means something. Named by {@code logback.xml}. Thread-safe.
 */
public final class KnownNoise extends Filter<ILoggingEvent> {
  private record Message(String logger, String beginning) {}

  private static final List<Message> HEALTHY =
      List.of(
          // Said of the default, which is right for a loopback address.
          new Message(
              "org.apache.zookeeper.server.ServerCnxnFactory", "maxCnxns is not configured"),
          // Said of a file that a new bookie does not have, as the message itself says.
          new Message(
              "org.apache.bookkeeper.bookie.Journal",
              "Problems reading from file (this is okay if it is the first time"),
          // Racks matter to large ensembles whose operator has set a resolver.
          new Message(
              "org.apache.bookkeeper.client.RackawareEnsemblePlacementPolicyImpl",
              "Failed to initialize DNS Resolver"),
          // What a take-over of the log does to the ledgers of the server before.
          new Message("org.apache.bookkeeper.proto.ReadEntryProcessor", "Ledger fenced"),
          // Files are extended as they grow instead, which costs nothing here.
          new Message(
              "org.apache.bookkeeper.bookie.storage.directentrylogger.DirectWriter",
              "Fallocate not available"),
          // Its threads are daemons, and nothing waits for them.
          new Message(
              "org.apache.bookkeeper.client.BookKeeper",
              "The mainWorkerPool did not shutdown cleanly"));

  @Override
  public FilterReply decide(ILoggingEvent event) {
    for (Message message : HEALTHY) {
      if (event.getLoggerName().equals(message.logger)
          && event.getMessage().startsWith(message.beginning)) {
        return FilterReply.DENY;
      }
    }
    return FilterReply.NEUTRAL;
  }
}
