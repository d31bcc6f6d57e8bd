package io.retso.spring;

import io.retso.hbase.TransactionManager;
import io.retso.hbase.TransactionOptions;
import io.retso.hbase.options.Isolation;
import io.retso.text.ErrorText;
import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import org.apache.yetus.audience.InterfaceAudience;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.transaction.InvalidIsolationLevelException;
import org.springframework.transaction.InvalidTimeoutException;
import org.springframework.transaction.NestedTransactionNotSupportedException;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.ResourceTransactionManager;
import org.springframework.transaction.support.SmartTransactionObject;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Lets Spring begin and end ReTSO's transactions: {@code @Transactional} and {@code
 * TransactionTemplate}. The work gets at its tables by a {@link CurrentTransaction}.
 *
 * <p>All propagations but NESTED. Isolation: the manager's by default, REPEATABLE_READ for a
 * snapshot, SERIALIZABLE. A read-only transaction begins as such; a serializable one waits some 10
 * ms for a snapshot with which it cannot be refused. The timeout, 1 s to 1 day, limits the
 * transaction from its begin to its commit. Its name is that of ReTSO's, too.
 *
 * <p>After a commit that failed, synchronizations are told that the transaction was rolled back, or
 * that its outcome is unknown, if that is so. docs/spring.md lists the exceptions.
 *
 * <p>Thread-safe. A transaction is for the thread that began it.
 *
 * @since 0.1
 */
@InterfaceAudience.Public
public final class RetsoTransactionManager extends AbstractPlatformTransactionManager
    implements ResourceTransactionManager {
  private static final long serialVersionUID = 1L;
  private static final Duration LONGEST = Duration.ofDays(1);

  /** It is no part of the state that Spring lets be serialized. */
  private final transient TransactionManager manager;

  /**
   * Spring's view of a manager.
   *
   * @param manager stays its owner's, which closes it
   */
  public RetsoTransactionManager(TransactionManager manager) {
    this.manager = Objects.requireNonNull(manager, "manager is null: pass the application's");
    setNestedTransactionAllowed(true); // so that doBegin is asked, which says why it is refused
  }

  /** What is bound to a thread is bound under this. */
  @Override
  public Object getResourceFactory() {
    return manager;
  }

  /** One begin or one participation; what is open may be open in others, too. */
  private static final class Scope implements SmartTransactionObject {
    private OpenTransaction open;

    private Scope(OpenTransaction open) {
      this.open = open;
    }

    @Override
    public boolean isRollbackOnly() {
      return open != null && open.isRollbackOnly();
    }

    @Override
    public void flush() {} // the commit sends what is buffered
  }

  @Override
  protected Object doGetTransaction() {
    return new Scope(OpenTransaction.ofThread(manager));
  }

  @Override
  protected boolean isExistingTransaction(Object transaction) {
    return ((Scope) transaction).open != null;
  }

  @Override
  protected boolean useSavepointForNestedTransaction() {
    return false;
  }

  @Override
  protected void doBegin(Object transaction, TransactionDefinition definition) {
    if (definition.getPropagationBehavior() == TransactionDefinition.PROPAGATION_NESTED) {
      throw new NestedTransactionNotSupportedException(
          "ReTSO has no savepoints, so a part of a transaction cannot be rolled back alone: use"
              + " REQUIRED, or REQUIRES_NEW for a transaction of its own");
    }
    OpenTransaction open = begin(definition);
    ((Scope) transaction).open = open;
    TransactionSynchronizationManager.bindResource(manager, open);
  }

  private OpenTransaction begin(TransactionDefinition definition) {
    TransactionOptions options = options(definition);
    try {
      return new OpenTransaction(
          definition.isReadOnly() ? manager.beginReadOnly(options) : manager.begin(options));
    } catch (IOException | IllegalStateException e) {
      throw new CannotCreateTransactionException(ErrorText.of(e), e);
    }
  }

  private TransactionOptions options(TransactionDefinition definition) {
    TransactionOptions options = TransactionOptions.DEFAULT;
    Isolation isolation = isolation(definition.getIsolationLevel());
    if (isolation != null) {
      options = options.withIsolation(isolation);
    }
    int seconds = determineTimeout(definition);
    if (seconds != TransactionDefinition.TIMEOUT_DEFAULT) {
      if (seconds < 1 || seconds > LONGEST.toSeconds()) {
        throw new InvalidTimeoutException(
            "the timeout of a transaction must be 1 second to 1 day, and is " + seconds + " s",
            seconds);
      }
      options = options.withTimeLimit(Duration.ofSeconds(seconds));
    }
    String name = name(definition.getName());
    return name.isEmpty() ? options : options.withName(name);
  }

  /** Returns null for the manager's own. */
  private static Isolation isolation(int level) {
    return switch (level) {
      case TransactionDefinition.ISOLATION_DEFAULT -> null;
      case TransactionDefinition.ISOLATION_REPEATABLE_READ -> Isolation.SNAPSHOT;
      case TransactionDefinition.ISOLATION_SERIALIZABLE -> Isolation.SERIALIZABLE;
      default ->
          throw new InvalidIsolationLevelException(
              "ReTSO has no such isolation: use REPEATABLE_READ, which is snapshot isolation,"
                  + " SERIALIZABLE, or DEFAULT for that of the manager");
    };
  }

  /** Spring's is the class with its package and the method: of long ones the end tells more. */
  private static String name(String given) {
    String printable = given == null ? "" : given.replaceAll("[^ -~]", "?");
    return printable.substring(
        Math.max(0, printable.length() - TransactionOptions.NAME_LENGTH_MAX));
  }

  @Override
  protected Object doSuspend(Object transaction) {
    ((Scope) transaction).open = null;
    return TransactionSynchronizationManager.unbindResource(manager);
  }

  @Override
  protected void doResume(Object transaction, Object suspended) {
    TransactionSynchronizationManager.bindResource(manager, suspended);
  }

  @Override
  protected void doSetRollbackOnly(DefaultTransactionStatus status) {
    open(status.getTransaction()).setRollbackOnly();
  }

  @Override
  protected void doCommit(DefaultTransactionStatus status) {
    open(status.getTransaction()).commit();
  }

  @Override
  protected void doRollback(DefaultTransactionStatus status) {
    open(status.getTransaction()).rollback();
  }

  @Override
  protected void doCleanupAfterCompletion(Object transaction) {
    TransactionSynchronizationManager.unbindResource(manager);
    open(transaction).close();
  }

  private static OpenTransaction open(Object transaction) {
    return ((Scope) transaction).open;
  }
}
