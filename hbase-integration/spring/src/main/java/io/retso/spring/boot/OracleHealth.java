package io.retso.spring.boot;

import io.retso.hbase.ReadTransaction;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.TransactionOptions;
import io.retso.hbase.options.Isolation;
import java.io.IOException;

/** Whether the oracle answers, in each version of Boot. Stateless. */
final class OracleHealth {
  static final String FAILED = "the oracle does not answer";
  static final String DETAIL = "timestamp";

  /** Under snapshot isolation it is a new timestamp each time, for which the oracle is asked. */
  private static final TransactionOptions OPTIONS =
      TransactionOptions.DEFAULT.withName("health").withIsolation(Isolation.SNAPSHOT);

  private OracleHealth() {}

  /** Asks it for a timestamp; takes up to the request timeout. */
  static long timestamp(TransactionManager manager) throws IOException {
    try (ReadTransaction tx = manager.beginReadOnly(OPTIONS)) {
      return tx.readTimestamp();
    }
  }
}
