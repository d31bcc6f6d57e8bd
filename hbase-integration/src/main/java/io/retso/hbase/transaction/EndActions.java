package io.retso.hbase.transaction;

import io.retso.hbase.Transaction;
import io.retso.hbase.futures.Callbacks;
import io.retso.text.Text;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What an application wants to be done once a transaction is committed, or rolled back. Guarded by
 * the transaction's {@link Lifecycle} until it has ended, and not changed afterwards.
 */
final class EndActions {
  private static final Logger LOG = LoggerFactory.getLogger(EndActions.class);

  private final List<Runnable> afterCommit = new ArrayList<>(0);
  private final List<Runnable> afterRollback = new ArrayList<>(0);

  void afterCommit(Runnable action) {
    add(afterCommit, action);
  }

  void afterRollback(Runnable action) {
    add(afterRollback, action);
  }

  private void add(List<Runnable> to, Runnable action) {
    HBaseAsyncTransactionalTable.notNull(action);
    if (afterCommit.size() + afterRollback.size() == Transaction.ACTIONS_MAX) {
      throw new IllegalStateException(
          Text.of(
              "a transaction has %s actions at most: let one do the work of several",
              Transaction.ACTIONS_MAX));
    }
    to.add(action);
  }

  /**
   * Runs those of an end, then goes on.
   *
   * @param end another one than committed or rolled back has none
   */
  void run(Transaction.State end, Runnable then) {
    List<Runnable> actions =
        switch (end) {
          case COMMITTED -> afterCommit;
          case ROLLED_BACK -> afterRollback;
          default -> List.of();
        };
    if (actions.isEmpty()) {
      then.run(); // on this thread, as if there were no actions
      return;
    }
    Callbacks.run(
        () -> {
          actions.forEach(EndActions::runQuietly);
          then.run();
        });
  }

  private static void runQuietly(Runnable action) {
    try {
      action.run();
    } catch (RuntimeException | Error e) {
      LOG.warn("an action at the end of a transaction failed, its outcome stays as it is", e);
    }
  }
}
