package io.retso.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.TransactionManager;
import io.retso.hbase.errors.ConflictException;
import io.retso.hbase.errors.UnknownCommitException;
import java.io.IOException;
import java.util.OptionalLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.transaction.support.TransactionTemplate;

/** What a commit comes to, and what Spring tells of it. */
@SpringBootTest(classes = TestApplication.class)
class CommitTest {
  @Autowired private Rows rows;
  @Autowired private TransactionManager retso;

  private final Endings endings = new Endings();

  @BeforeEach
  void clear() {
    Rows.clear();
  }

  @Test
  void whatWasCommittedIsThere() {
    rows.transaction()
        .executeWithoutResult(
            status -> {
              endings.watch();
              rows.put("a", "1");
            });
    assertEquals("1", rows.committed("a"));
    assertEquals("COMMITTED", endings.toString());
  }

  @Test
  void aConflictIsAFailureOfOptimisticLocking() {
    OptimisticLockingFailureException e =
        assertThrows(
            OptimisticLockingFailureException.class,
            () ->
                rows.transaction()
                    .executeWithoutResult(
                        status -> {
                          endings.watch();
                          rows.put("a", "1");
                          rows.commitAnother("a", "2");
                        }));
    assertInstanceOf(ConflictException.class, e.getCause());
    assertEquals("ROLLED_BACK", endings.toString());
    assertEquals("2", rows.committed("a"));
  }

  @Test
  void anUnknownOutcomeIsSaidToBeUnknownAndCanBeResolved() throws IOException {
    loseAnswer(rows.transaction());
  }

  /** Spring would say of what may be committed that it was rolled back. */
  @Test
  void itStaysUnknownWhereSpringRollsBackAfterFailedCommits() throws IOException {
    RetsoTransactionManager manager = new RetsoTransactionManager(retso);
    manager.setRollbackOnCommitFailure(true);
    loseAnswer(new TransactionTemplate(manager));
  }

  private void loseAnswer(TransactionTemplate transaction) throws IOException {
    UnknownOutcomeException e =
        assertThrows(
            UnknownOutcomeException.class,
            () ->
                transaction.executeWithoutResult(
                    status -> {
                      endings.watch();
                      rows.put("a", "1");
                      Thread.currentThread().interrupt(); // it does not wait for the answer
                    }));
    assertTrue(Thread.interrupted());
    assertInstanceOf(UnknownCommitException.class, e.getCause());
    assertEquals("UNKNOWN", endings.toString());
    OptionalLong outcome = e.resolve();
    assertEquals(outcome, retso.resolve(e.handle()));
    assertEquals(outcome.isPresent() ? "1" : null, rows.committed("a"));
  }
}
