package io.retso.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.errors.ConflictException;
import io.retso.hbase.errors.SerializationException;
import io.retso.hbase.errors.SnapshotTooOldException;
import java.io.IOException;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.transaction.InvalidIsolationLevelException;
import org.springframework.transaction.InvalidTimeoutException;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionTimedOutException;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.support.TransactionTemplate;

/** What a transaction gets of Spring's definition: read-only, isolation, timeout, name. */
@SpringBootTest(classes = TestApplication.class)
class DefinitionTest {
  @Autowired private Rows rows;
  @Autowired private CurrentTransaction current;

  @BeforeEach
  void clear() {
    Rows.clear();
  }

  @Test
  void whatIsReadOnlyReadsAndCannotWrite() {
    rows.commitAnother("a", "1");
    TransactionTemplate readOnly = rows.transaction();
    readOnly.setReadOnly(true);
    readOnly.executeWithoutResult(
        status -> {
          assertEquals("1", rows.get("a"));
          rows.commitAnother("a", "2");
          assertEquals("1", rows.get("a"), "a snapshot");
          String refusal =
              assertThrows(IllegalStateException.class, () -> rows.put("a", "3")).getMessage();
          assertTrue(refusal.contains("readTable"), refusal);
          Table table = current.readTable("rows").asTable();
          Put put = new Put(Bytes.toBytes("a")).addColumn(new byte[] {'f'}, null, new byte[1]);
          assertThrows(IllegalStateException.class, () -> table.put(put));
        });
  }

  /** Each of two reads what the other one writes. */
  private void skew(int isolation) {
    rows.isolated(isolation)
        .executeWithoutResult(
            outer -> {
              rows.get("b");
              rows.put("a", "1");
              rows.isolated(isolation)
                  .executeWithoutResult(
                      inner -> {
                        rows.get("a");
                        rows.put("b", "1");
                      });
            });
  }

  @Test
  void repeatableReadIsASnapshot() {
    skew(TransactionDefinition.ISOLATION_REPEATABLE_READ);
    assertEquals("1", rows.committed("a"));
  }

  @Test
  void serializableIsSerializable() {
    OptimisticLockingFailureException e =
        assertThrows(
            OptimisticLockingFailureException.class,
            () -> skew(TransactionDefinition.ISOLATION_SERIALIZABLE));
    assertInstanceOf(SerializationException.class, e.getCause());
  }

  @Test
  void aSerializableReaderSeesWhatWasCommittedBefore() {
    TransactionTemplate reader = rows.isolated(TransactionDefinition.ISOLATION_SERIALIZABLE);
    reader.setReadOnly(true);
    for (int i = 0; i < 5; i++) {
      String value = "v" + i;
      rows.commitAnother("a", value);
      assertEquals(value, reader.execute(status -> rows.get("a")));
    }
  }

  @Test
  void otherIsolationsAreRefused() {
    for (int isolation :
        new int[] {
          TransactionDefinition.ISOLATION_READ_UNCOMMITTED,
          TransactionDefinition.ISOLATION_READ_COMMITTED
        }) {
      String message =
          assertThrows(InvalidIsolationLevelException.class, () -> skew(isolation)).getMessage();
      assertTrue(message.contains("REPEATABLE_READ") && message.contains("SERIALIZABLE"), message);
    }
  }

  /** The work does not notice how its operations fail, and Spring is asked to commit. */
  @Test
  void theTimeoutRollsBack() {
    TransactionTemplate limited = rows.transaction();
    limited.setTimeout(1);
    Endings endings = new Endings();
    UnexpectedRollbackException e =
        assertThrows(
            UnexpectedRollbackException.class,
            () ->
                limited.executeWithoutResult(
                    status -> {
                      endings.watch();
                      rows.put("a", "1");
                      ResultScanner scanner = scanner();
                      TransactionTimedOutException late =
                          assertThrows(TransactionTimedOutException.class, this::readForLong);
                      assertThrows(TransactionTimedOutException.class, scanner::next);
                      assertInstanceOf(SnapshotTooOldException.class, late.getCause());
                    }));
    assertInstanceOf(SnapshotTooOldException.class, e.getCause());
    assertEquals("ROLLED_BACK", endings.toString());
  }

  private ResultScanner scanner() {
    try {
      return current.table("rows").getScanner(new Scan());
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private void readForLong() {
    long begun = System.nanoTime();
    while (System.nanoTime() - begun < 20_000_000_000L) {
      rows.get("a");
    }
  }

  @Test
  void timeoutsOutOfRangeAreRefused() {
    TransactionTemplate limited = rows.transaction();
    for (int seconds : new int[] {0, 86_401}) {
      limited.setTimeout(seconds);
      String message =
          assertThrows(
                  InvalidTimeoutException.class, () -> limited.execute(status -> rows.get("a")))
              .getMessage();
      assertTrue(message.contains("1 second to 1 day, and is " + seconds), message);
    }
  }

  /** Spring's names are longer than ReTSO's, and may have any letters. */
  @Test
  void theNameIsThatOfTheTransaction() {
    TransactionTemplate named = rows.transaction();
    String end = "application.accounting.Transfers.toTheOtherBank?and back";
    named.setName("com.example.of.a.company." + end.replace('?', '\u00e4'));
    OptimisticLockingFailureException e =
        assertThrows(
            OptimisticLockingFailureException.class,
            () ->
                named.executeWithoutResult(
                    status -> {
                      rows.put("a", "1");
                      rows.commitAnother("a", "2");
                    }));
    String name = assertInstanceOf(ConflictException.class, e.getCause()).transactionName();
    assertEquals(64, name.length());
    assertTrue(name.endsWith(end), name);
  }
}
