package io.retso.hbase;

import static io.retso.hbase.Fixture.put;
import static io.retso.hbase.Fixture.read;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.retso.hbase.admin.TablePreparation.Options;
import io.retso.hbase.errors.ConflictException;
import io.retso.hbase.metrics.SlowTransactions;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.slf4j.LoggerFactory;

/** What is logged of transactions that take long. */
@ExtendWith(RetsoCluster.Extension.class)
@Timeout(120)
class SlowTransactionsTest {
  private static final TransactionOptions NAMED = TransactionOptions.DEFAULT.withName("transfer");
  private static final Pattern LINE =
      Pattern.compile(
          "\\[transfer] transaction \\d+ took ([\\d,]+) ms, attempt (\\d+), (\\w+): begin [\\d,]+"
              + " ms, reads (?<reads>[\\d,]+) ms, writes [\\d,]+ ms, commit [\\d,]+ ms(?<met>;"
              + " .*)?");

  private final ListAppender<ILoggingEvent> logged = new ListAppender<>();
  private final Logger logger = (Logger) LoggerFactory.getLogger(SlowTransactions.LOGGER);
  private Fixture fixture;
  private TableName name;

  @BeforeEach
  void listen(Fixture fixture) throws Exception {
    this.fixture = fixture;
    name = fixture.table(Options.DEFAULT);
    logged.start();
    logger.addAppender(logged);
    logger.setAdditive(false);
  }

  @AfterEach
  void leave() {
    logger.detachAppender(logged);
    logger.setAdditive(true);
  }

  private TransactionManager manager(Duration threshold) throws Exception {
    return fixture.opened(fixture.builder().slowTransactions(threshold).build());
  }

  private List<Matcher> lines() {
    return logged.list.stream().map(ILoggingEvent::getFormattedMessage).map(LINE::matcher).toList();
  }

  @Test
  void linesSayWhereTheTimeWentAndWhatWasMet() throws Exception {
    TransactionManager manager = manager(Duration.ZERO);
    AtomicInteger attempts = new AtomicInteger();
    manager.run(
        NAMED,
        tx -> {
          read(tx.table(name), "r");
          tx.table(name).getScanner(new Scan()).next();
          tx.table(name).put(put("r", "x"));
          if (attempts.incrementAndGet() < 3) {
            fixture.manager().run(other -> overtake(other));
          }
          return null;
        });
    List<Matcher> lines = lines();
    assertEquals(3, lines.size());
    for (int i = 0; i < 3; i++) {
      Matcher line = lines.get(i);
      assertTrue(line.matches(), logged.list.get(i).getFormattedMessage());
      assertEquals(i + 1, Integer.parseInt(line.group(2)));
      assertEquals(i < 2 ? "conflict" : "committed", line.group(3));
      String met = line.group("met") == null ? "" : line.group("met");
      assertEquals(i < 2, met.startsWith("; row 'r' of table " + name + ", which it wrote, was"));
      assertEquals(Level.WARN, logged.list.get(i).getLevel());
    }
  }

  private Void overtake(Transaction other) throws IOException {
    other.table(name).put(put("r", "fast"));
    return null;
  }

  /** Each row is a request of its own here, so that together they take some milliseconds. */
  @Test
  void rowsOfAsynchronousScansCountAsReads() throws Exception {
    TransactionManager manager = manager(Duration.ZERO);
    int rows = 100;
    manager.run(
        tx -> {
          for (int i = 0; i < rows; i++) {
            tx.table(name).put(put("row " + i, "x"));
          }
          return null;
        });
    logged.list.clear();
    Scan scan = new Scan().setCaching(1);
    List<Result> read =
        manager
            .readAsync(NAMED, tx -> tx.asyncTable(name).thenCompose(table -> table.scanAll(scan)))
            .get(Fixture.PATIENCE_SECONDS, TimeUnit.SECONDS);

    assertEquals(rows, read.size());
    Matcher line = lines().get(0);
    assertTrue(line.matches(), logged.list.get(0).getFormattedMessage());
    assertNotEquals("0", line.group("reads"), line::group);
  }

  @Test
  void othersAreNotLogged() throws Exception {
    TransactionManager manager = manager(Duration.ofHours(1));
    manager.run(NAMED, this::overtake);
    Transaction slow = manager.begin(NAMED);
    overtake(slow);
    manager.run(NAMED, this::overtake);
    assertThrows(ConflictException.class, slow::commit);
    assertEquals(List.of(), logged.list);
  }
}
