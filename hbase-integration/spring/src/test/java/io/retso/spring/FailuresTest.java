package io.retso.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.client.TransactionHandle;
import io.retso.hbase.errors.AbortedException;
import io.retso.hbase.errors.ConflictException;
import io.retso.hbase.errors.OracleUnavailableException;
import io.retso.hbase.errors.RollbackOnlyException;
import io.retso.hbase.errors.SerializationException;
import io.retso.hbase.errors.SnapshotTooOldException;
import io.retso.hbase.errors.TableChangedException;
import io.retso.hbase.errors.TableNotPreparedException;
import io.retso.hbase.errors.TransactionException;
import io.retso.hbase.errors.UnknownCommitException;
import io.retso.hbase.errors.WriteSetTooLargeException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.InvalidDataAccessApiUsageException;
import org.springframework.dao.InvalidDataAccessResourceUsageException;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.dao.TransientDataAccessResourceException;
import org.springframework.transaction.TransactionTimedOutException;
import org.springframework.transaction.UnexpectedRollbackException;

/** Each of ReTSO's exceptions beside Spring's for it. */
class FailuresTest {
  private record Row(IOException ours, Class<?> ofOperation, Class<?> ofCommit) {
    Row(IOException ours, Class<?> theirs) {
      this(ours, theirs, theirs);
    }
  }

  private static final TransactionException TOO_OLD = new SnapshotTooOldException("old", null);

  private static final UnknownCommitException UNKNOWN =
      new UnknownCommitException(TransactionHandle.of(1 << 10, 7), new IOException("lost"), null);

  private static final List<Row> ALL =
      List.of(
          new Row(new ConflictException("c", null), OptimisticLockingFailureException.class),
          new Row(
              new SerializationException(7, SerializationException.Reason.PIVOT),
              OptimisticLockingFailureException.class),
          new Row(new AbortedException(7), ConcurrencyFailureException.class),
          new Row(TOO_OLD, TransactionTimedOutException.class, UnexpectedRollbackException.class),
          new Row(
              new RollbackOnlyException(7, TOO_OLD),
              TransactionTimedOutException.class,
              UnexpectedRollbackException.class),
          new Row(
              new RollbackOnlyException(7, new IOException("disk")),
              DataAccessResourceFailureException.class),
          new Row(
              new OracleUnavailableException("away", null),
              TransientDataAccessResourceException.class),
          new Row(
              new TableChangedException("changed", null),
              TransientDataAccessResourceException.class),
          new Row(
              new TableNotPreparedException("plain", null),
              InvalidDataAccessResourceUsageException.class),
          new Row(
              new WriteSetTooLargeException("large", null),
              InvalidDataAccessApiUsageException.class),
          new Row(UNKNOWN, UnknownOutcomeException.class),
          new Row(new IOException("of HBase"), DataAccessResourceFailureException.class));

  @Test
  void eachHasItsOwn() {
    for (Row row : ALL) {
      RuntimeException ofOperation = Failures.of(row.ours);
      assertSame(row.ofOperation, ofOperation.getClass());
      assertSame(row.ours, ofOperation.getCause());
      assertEquals(row.ours.getMessage(), ofOperation.getMessage());
      RuntimeException ofCommit = Failures.ofCommit(row.ours);
      assertSame(row.ofCommit, ofCommit.getClass());
      assertSame(row.ours, ofCommit.getCause());
    }
  }

  @Test
  void allCategoriesAreAmongThem() {
    Set<TransactionException.Category> categories =
        EnumSet.noneOf(TransactionException.Category.class);
    for (Row row : ALL) {
      if (row.ours instanceof TransactionException known) {
        categories.add(known.category());
      }
    }
    assertEquals(EnumSet.allOf(TransactionException.Category.class), categories);
  }

  /** Applications run those again; spring-retry and Spring's own go by the class. */
  @Test
  void nothingButWhatIsAbortedFailsByConcurrency() {
    List<IOException> repeated = new ArrayList<>();
    for (Row row : ALL) {
      if (Failures.ofCommit(row.ours) instanceof ConcurrencyFailureException) {
        repeated.add(row.ours);
      }
    }
    assertEquals(ALL.subList(0, 3).stream().map(Row::ours).toList(), repeated);
  }

  @Test
  void logsHaveNoTickets() {
    UnknownOutcomeException e = new UnknownOutcomeException(UNKNOWN);
    assertEquals(UNKNOWN.handle(), e.handle());
    assertTrue(e.toString().contains("transaction 1024"), e.toString());
    assertFalse(e.toString().contains(e.handle()), e.toString());
  }
}
