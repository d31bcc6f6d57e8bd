package io.retso.workload.store;

import io.retso.workload.Row;
import io.retso.workload.StoreTransaction;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;

/** A transaction that keeps its writes until it is committed. */
abstract class BufferedTransaction implements StoreTransaction {
  /** What it has written so far. */
  final Map<Row, byte[]> writes = new LinkedHashMap<>();

  /** Reads a row that it has not written. */
  abstract byte[] read(Row row) throws IOException;

  @Override
  public final byte[] get(Row row) throws IOException {
    byte[] own = writes.get(row);
    return own == null ? read(row) : own;
  }

  @Override
  public final void put(Row row, byte[] value) {
    writes.put(row, value);
  }
}
