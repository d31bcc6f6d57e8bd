package io.retso.spring;

import io.retso.hbase.ReadTransaction;
import io.retso.hbase.Transaction;
import io.retso.hbase.TransactionManager;
import java.io.IOException;
import org.springframework.transaction.support.ResourceHolderSupport;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** A transaction of ReTSO that is bound to a thread. Not thread-safe. */
final class OpenTransaction extends ResourceHolderSupport {
  private final ReadTransaction transaction;

  /** How its commit failed, if it may have happened all the same. */
  private UnknownOutcomeException unknown;

  OpenTransaction(ReadTransaction transaction) {
    this.transaction = transaction;
  }

  /** That of this thread and manager; null if there is none. */
  static OpenTransaction ofThread(TransactionManager manager) {
    return (OpenTransaction) TransactionSynchronizationManager.getResource(manager);
  }

  ReadTransaction reading() {
    return transaction;
  }

  /** Null if it is read-only. */
  Transaction writing() {
    return transaction instanceof Transaction writer ? writer : null;
  }

  /** What only reads has nothing to commit. */
  void commit() {
    if (transaction instanceof Transaction writer) {
      try {
        writer.commit();
      } catch (IOException e) {
        RuntimeException failure = Failures.ofCommit(e);
        if (failure instanceof UnknownOutcomeException outcome) {
          unknown = outcome;
        }
        throw failure;
      }
    }
  }

  /** Refused if it may be committed: Spring would say that it was rolled back. */
  void rollback() {
    if (unknown != null) {
      throw unknown;
    }
    if (transaction instanceof Transaction writer) {
      try {
        writer.rollback();
      } catch (IOException e) {
        throw Failures.of(e);
      }
    }
  }

  void close() {
    transaction.close();
  }
}
