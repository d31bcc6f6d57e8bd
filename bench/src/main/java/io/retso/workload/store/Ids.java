package io.retso.workload.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.retso.client.RowId;

/** Ids of rows for the oracle. */
final class Ids {
  private Ids() {}

  static long of(String table, String key) {
    return RowId.of(table.getBytes(UTF_8), key.getBytes(UTF_8));
  }
}
