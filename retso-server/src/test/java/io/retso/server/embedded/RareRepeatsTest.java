package io.retso.server.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import org.junit.jupiter.api.Test;

class RareRepeatsTest {
  private final LoggerContext context = new LoggerContext();
  private final ListAppender<ILoggingEvent> shown = new ListAppender<>();

  private Logger logger(String name) {
    Logger logger = context.getLogger(name);
    logger.setLevel(Level.INFO);
    logger.addAppender(shown);
    return logger;
  }

  @Test
  void aLibrarySaysTheSameOnceAndWeAsOftenAsWeLike() {
    context.addTurboFilter(new RareRepeats());
    shown.start();
    Logger library = logger("org.apache.bookkeeper.proto.PerChannelBookieClient");
    Logger other = logger("org.apache.bookkeeper.client.LedgerHandle");
    Logger own = logger("io.retso.member.Member");
    for (int i = 0; i < 3; i++) {
      library.error("cannot connect to {}", i, new IllegalStateException());
      library.warn("closed");
      library.info("tries again");
      other.error("cannot connect to {}", i);
      own.warn("no longer leads in epoch {}", i);
    }
    List<String> texts = shown.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    assertEquals(
        List.of(
            "cannot connect to 0",
            "closed",
            "tries again",
            "cannot connect to 0",
            "no longer leads in epoch 0",
            "tries again",
            "no longer leads in epoch 1",
            "tries again",
            "no longer leads in epoch 2"),
        texts);
  }
}
