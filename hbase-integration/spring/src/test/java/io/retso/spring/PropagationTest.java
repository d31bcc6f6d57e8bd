package io.retso.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.NestedTransactionNotSupportedException;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.UnexpectedRollbackException;

/** Which transaction work is in, by Spring's propagation. */
@SpringBootTest(classes = TestApplication.class)
class PropagationTest {
  @Autowired private Rows rows;

  @BeforeEach
  void clear() {
    Rows.clear();
  }

  /** Runs the work, and says how it failed to get a table. */
  private String refusal(int propagation) {
    return rows.transaction(propagation)
        .execute(
            status -> assertThrows(IllegalStateException.class, () -> rows.get("r")).getMessage());
  }

  @Test
  void requiredJoins() {
    rows.transaction()
        .executeWithoutResult(
            outer -> {
              rows.put("a", "1");
              rows.transaction()
                  .executeWithoutResult(
                      inner -> {
                        assertEquals("1", rows.get("a"));
                        rows.put("b", "2");
                      });
              assertNull(rows.committed("b"), "the inner one's end is none");
              outer.setRollbackOnly();
            });
    assertNull(rows.committed("a"));
    assertNull(rows.committed("b"));
  }

  @Test
  void aFailureOfAPartIsOneOfTheWhole() {
    assertThrows(
        UnexpectedRollbackException.class,
        () ->
            rows.transaction()
                .executeWithoutResult(
                    outer -> {
                      rows.put("a", "1");
                      assertThrows(
                          IllegalArgumentException.class,
                          () ->
                              rows.transaction()
                                  .executeWithoutResult(
                                      inner -> {
                                        throw new IllegalArgumentException();
                                      }));
                    }));
    assertNull(rows.committed("a"));
  }

  @Test
  void requiresNewIsATransactionOfItsOwn() {
    rows.transaction()
        .executeWithoutResult(
            outer -> {
              rows.put("a", "1");
              rows.transaction(TransactionDefinition.PROPAGATION_REQUIRES_NEW)
                  .executeWithoutResult(
                      inner -> {
                        assertNull(rows.get("a"), "another snapshot");
                        rows.put("b", "2");
                      });
              assertEquals("1", rows.get("a"), "the outer one goes on");
              assertNull(rows.get("b"), "committed after it began");
              outer.setRollbackOnly();
            });
    assertNull(rows.committed("a"));
    assertEquals("2", rows.committed("b"));
  }

  @Test
  void supportsJoinsAndBeginsNone() {
    assertTrue(
        refusal(TransactionDefinition.PROPAGATION_SUPPORTS).contains("@Transactional"), "a remedy");
    rows.transaction()
        .executeWithoutResult(
            outer ->
                rows.transaction(TransactionDefinition.PROPAGATION_SUPPORTS)
                    .executeWithoutResult(inner -> rows.put("a", "1")));
    assertEquals("1", rows.committed("a"));
  }

  @Test
  void notSupportedSetsTheTransactionAside() {
    rows.transaction()
        .executeWithoutResult(
            outer -> {
              rows.put("a", "1");
              refusal(TransactionDefinition.PROPAGATION_NOT_SUPPORTED);
              assertEquals("1", rows.get("a"));
            });
    assertEquals("1", rows.committed("a"));
  }

  @Test
  void mandatoryJoinsOrFails() {
    assertThrows(
        IllegalTransactionStateException.class,
        () -> refusal(TransactionDefinition.PROPAGATION_MANDATORY));
    rows.transaction()
        .executeWithoutResult(
            outer ->
                rows.transaction(TransactionDefinition.PROPAGATION_MANDATORY)
                    .executeWithoutResult(inner -> rows.put("a", "1")));
    assertEquals("1", rows.committed("a"));
  }

  @Test
  void neverFailsInATransaction() {
    refusal(TransactionDefinition.PROPAGATION_NEVER);
    rows.transaction()
        .executeWithoutResult(
            outer ->
                assertThrows(
                    IllegalTransactionStateException.class,
                    () -> refusal(TransactionDefinition.PROPAGATION_NEVER)));
  }

  /** Alone, too: work that relies on a savepoint is to be found before it needs one. */
  @Test
  void nestedIsRefusedAndHarmsNothing() {
    refuseNested();
    rows.transaction()
        .executeWithoutResult(
            outer -> {
              rows.put("a", "1");
              refuseNested();
              assertThrows(
                  NestedTransactionNotSupportedException.class, outer::createSavepoint, "by hand");
            });
    assertEquals("1", rows.committed("a"));
  }

  private void refuseNested() {
    String message =
        assertThrows(
                NestedTransactionNotSupportedException.class,
                () -> refusal(TransactionDefinition.PROPAGATION_NESTED))
            .getMessage();
    assertTrue(message.contains("savepoints") && message.contains("REQUIRES_NEW"), message);
  }
}
