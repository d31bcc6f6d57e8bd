package io.retso.bench.ycsb;

import io.retso.hbase.options.Isolation;
import io.retso.ycsb.PlainHBaseClient;
import io.retso.ycsb.RetsoClient;
import java.util.Locale;
import java.util.Properties;
import site.ycsb.DB;

/**
 * How operations get to HBase.
 *
 * @param level of transactions; null without
 * @param operations of a transaction
 */
record Binding(Isolation level, int operations) {
  static final Binding PLAIN = new Binding(null, 1);

  /** A client for one thread, which is not opened yet. */
  DB client() {
    return level == null ? new PlainHBaseClient() : new RetsoClient();
  }

  void set(Properties properties) {
    if (level != null) {
      properties.setProperty("retso.isolation", level.toString().toLowerCase(Locale.ROOT));
      properties.setProperty("retso.operations", String.valueOf(operations));
    }
  }

  String store() {
    return level == null ? "plain HBase" : level.toString();
  }

  @Override
  public String toString() {
    return operations == 1 ? store() : store() + ", " + operations + " operations";
  }
}
