package io.retso.hbase.sweep;

import static io.retso.hbase.Fixture.eventually;
import static io.retso.hbase.Fixture.put;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.retso.client.OracleException;
import io.retso.client.OracleException.Category;
import io.retso.hbase.Fixture;
import io.retso.hbase.ReadTransaction;
import io.retso.hbase.RetsoCluster;
import io.retso.hbase.Transaction;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.admin.SweepResult;
import io.retso.hbase.admin.TablePreparation;
import io.retso.hbase.admin.TablePreparation.Options;
import io.retso.hbase.futures.Futures;
import io.retso.hbase.transaction.Inside;
import io.retso.protocol.Timestamps;
import io.retso.server.RetsoServer;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.slf4j.LoggerFactory;

/** When managers sweep by themselves. */
@ExtendWith(RetsoCluster.Extension.class)
@Timeout(180)
class SweepScheduleTest {
  /** Counts how often it was asked, on the thread of the schedule. */
  private static final class Watermarks {
    private final boolean moves;
    private final boolean isBehind;
    private final AtomicLong asked = new AtomicLong();

    private Watermarks(boolean moves, boolean isBehind) {
      this.moves = moves;
      this.isBehind = isBehind;
    }

    long lowWatermark() {
      return asked.incrementAndGet() * (moves ? Timestamps.GAP : 0);
    }

    long timestamp() {
      return Timestamps.GAP * (isBehind ? 2 : 1);
    }
  }

  /** How often the oracle had been asked at each sweep, at the end of so many questions. */
  private static List<Long> sweeps(Watermarks oracle, boolean hasClientReads, int questions)
      throws Exception {
    List<Long> sweeps = new CopyOnWriteArrayList<>();
    SweepSchedule schedule =
        new SweepSchedule(
            oracle::lowWatermark,
            oracle::timestamp,
            1,
            () -> hasClientReads,
            () -> {
              sweeps.add(oracle.asked.get());
              if (sweeps.size() % 2 == 0) {
                throw new IOException("as if a region was away");
              }
              return new SweepResult(1, 1, 1, 0, true, "");
            });
    try {
      eventually("it is asked", () -> oracle.asked.get() >= questions);
    } finally {
      schedule.close();
    }
    return sweeps;
  }

  @Test
  void nobodySweepsWhileTheWatermarkMoves() throws Exception {
    assertEquals(List.of(), sweeps(new Watermarks(true, false), false, 200));
    assertEquals(List.of(), sweeps(new Watermarks(false, false), false, 200), "it is just idle");
  }

  @Test
  void aWatermarkThatStandsStillIsSweptFor() throws Exception {
    List<Long> sweeps = sweeps(new Watermarks(false, true), false, 10);
    assertEquals(2, sweeps.get(0), "the first answer can be compared with none");
  }

  @Test
  void tablesWithClientReadsAreSweptAtASlowPaceInAnyCase() throws Exception {
    for (boolean moves : new boolean[] {true, false}) {
      List<Long> sweeps = sweeps(new Watermarks(moves, false), true, 200);
      assertTrue(sweeps.size() >= 2, sweeps::toString);
      for (int i = 0; i < 2; i++) { // after the second one, which fails, the pauses are longer
        long pause = sweeps.get(i) - (i == 0 ? 0 : sweeps.get(i - 1));
        assertTrue(pause >= SweepSchedule.INTERVALS_MAX, sweeps::toString);
        assertTrue(pause <= SweepSchedule.INTERVALS_MAX * 3 / 2, sweeps::toString);
      }
    }
  }

  /** Its thread ends by itself, which it would not do if another sweep were to come. */
  @Test
  void aSweepThatTheOracleRefusesIsTheLastOne() throws Exception {
    Watermarks oracle = new Watermarks(false, true);
    AtomicInteger sweeps = new AtomicInteger();
    Logger logger = (Logger) LoggerFactory.getLogger(SweepSchedule.class);
    ListAppender<ILoggingEvent> logged = new ListAppender<>();
    logged.start();
    logger.addAppender(logged);
    logger.setLevel(Level.INFO);
    logger.setAdditive(false);
    ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor();
    try {
      new SweepSchedule(
          oracle::lowWatermark,
          oracle::timestamp,
          1,
          () -> true,
          () -> {
            sweeps.incrementAndGet();
            throw new OracleException(Category.NOT_PERMITTED, "as if it ran elsewhere", null);
          },
          thread);
      assertTrue(thread.awaitTermination(1, TimeUnit.MINUTES), "the schedule goes on");
    } finally {
      thread.shutdownNow();
      logger.detachAppender(logged);
      logger.setLevel(null);
      logger.setAdditive(true);
    }
    assertEquals(1, sweeps.get());
    List<String> said = logged.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    assertEquals(1, said.size(), said::toString);
    assertTrue(said.get(0).startsWith("this manager sweeps no more"), said::toString);
  }

  /** It does not hold the watermark; no client reads the row, and no region looks at its mark. */
  @Test
  @SuppressWarnings("try") // closing may be interrupted, as in any test
  void whatAbortedTransactionsOfDeadClientsLeftGoes(RetsoCluster cluster) throws Exception {
    TableName name = cluster.freshName("t");
    try (RetsoServer oracle = RetsoCluster.startOracle(); // its own: it has nothing else to do
        Fixture fixture = new Fixture(cluster);
        Admin admin = cluster.connection().getAdmin()) {
      String address = "127.0.0.1:" + oracle.port();
      TablePreparation.builder(cluster.connection())
          .oracle(address)
          .build()
          .create(Fixture.descriptor(name).build(), Options.CLIENT_READS);
      TransactionManager dying =
          fixture.opened(Fixture.dying(fixture.builder().oracle(address)).build());
      Transaction dead = dying.begin();
      dead.table(name).put(put("r", "dead"));
      Futures.await(Inside.writes(dead).sendAll());
      dying.resolve(dead.handle()); // as the oracle's time limit does
      TransactionManager manager =
          fixture.opened(
              fixture.builder().oracle(address).sweepInterval(Duration.ofMillis(20)).build());
      try (ReadTransaction tx = manager.beginReadOnly()) {
        tx.table(name); // and has no timestamp, so that the watermark never stands below others
      }
      eventually("it is gone", () -> fixture.raw(name).isEmpty());
      admin.disableTable(name);
      admin.deleteTable(name); // sweeps of other tests would wait for it
    }
  }
}
