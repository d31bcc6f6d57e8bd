package io.retso.spring;

import io.retso.hbase.ReadTable;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.TransactionalTable;
import java.io.IOException;
import java.util.Objects;
import org.apache.hadoop.hbase.TableName;
import org.apache.yetus.audience.InterfaceAudience;

/**
 * The tables of the transaction that Spring has begun for this thread.
 *
 * <pre>{@code
 * @Transactional
 * public void deposit(String account, long amount) throws IOException {
 *   TransactionalTable accounts = current.table("accounts");
 *   ...
 * }
 * }</pre>
 *
 * <p><strong>Errors.</strong> Methods of these tables throw Spring's unchecked exceptions in the
 * place of each {@code IOException} that they declare, with that as the cause. Spring's rules by
 * default commit what was done before a checked exception: a read that failed halfway through a
 * transfer would commit the first half.
 *
 * <p>Thread-safe. A table is for its transaction and thread only.
 *
 * @since 0.1
 */
@InterfaceAudience.Public
public final class CurrentTransaction {
  private final TransactionManager manager;

  /** The transactions of a {@link RetsoTransactionManager} with the same manager. */
  public CurrentTransaction(TransactionManager manager) {
    this.manager = Objects.requireNonNull(manager, "manager is null: pass the application's");
  }

  /**
   * The table of that name, {@code namespace:name} if it is not in the default namespace.
   *
   * @throws IllegalStateException if this thread has no transaction, or one that only reads
   * @throws org.springframework.dao.DataAccessException if the table is missing, not prepared, or
   *     prepared for another oracle, or HBase does not answer
   */
  public TransactionalTable table(String name) {
    return table(TableName.valueOf(name));
  }

  /** Like {@link #table(String)}. */
  public TransactionalTable table(TableName name) {
    var writing = open().writing();
    if (writing == null) {
      throw new IllegalStateException(
          "the transaction of this thread is read-only: call readTable, or begin one that writes,"
              + " @Transactional without readOnly or with REQUIRES_NEW");
    }
    try {
      return Unchecked.of(TransactionalTable.class, writing.table(name));
    } catch (IOException e) {
      throw Failures.of(e);
    }
  }

  /**
   * The table of that name for reading, in a transaction of either kind.
   *
   * @throws IllegalStateException if this thread has no transaction
   * @throws org.springframework.dao.DataAccessException as {@link #table(String)}
   */
  public ReadTable readTable(String name) {
    return readTable(TableName.valueOf(name));
  }

  /** Like {@link #readTable(String)}. */
  public ReadTable readTable(TableName name) {
    try {
      return Unchecked.of(ReadTable.class, open().reading().table(name));
    } catch (IOException e) {
      throw Failures.of(e);
    }
  }

  private OpenTransaction open() {
    OpenTransaction open = OpenTransaction.ofThread(manager);
    if (open == null) {
      throw new IllegalStateException(
          "this thread has no transaction of ReTSO: call this in a method that is @Transactional,"
              + " from another bean, or in a TransactionTemplate; of several transaction managers"
              + " name the RetsoTransactionManager");
    }
    return open;
  }
}
