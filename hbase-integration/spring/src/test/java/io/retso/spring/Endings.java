package io.retso.spring;

import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** What Spring tells of the end of a transaction. */
final class Endings {
  private String told = "nothing";

  /** Called in the transaction. */
  void watch() {
    TransactionSynchronizationManager.registerSynchronization(
        new TransactionSynchronization() {
          @Override
          public void afterCompletion(int status) {
            told =
                switch (status) {
                  case STATUS_COMMITTED -> "COMMITTED";
                  case STATUS_ROLLED_BACK -> "ROLLED_BACK";
                  default -> "UNKNOWN";
                };
          }
        });
  }

  @Override
  public String toString() {
    return told;
  }
}
