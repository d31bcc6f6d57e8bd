package io.retso.workload.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.retso.client.RowId;
import io.retso.workload.Row;

/** Ids for the oracle. */
final class Ids {
  private Ids() {}

  static long ofRow(Row row) {
    return RowId.of(row.table().getBytes(UTF_8), row.key().getBytes(UTF_8));
  }

  /** The granule of all rows of a table. */
  static long ofTable(String table) {
    return RowId.granule(table.getBytes(UTF_8), 0, new byte[0]);
  }
}
