package io.retso.workload.store;

import io.retso.workload.Row;
import io.retso.workload.StoreTransaction;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;

/** A transaction that keeps its writes until it is committed. */
abstract class BufferedTransaction implements StoreTransaction {
  /** What it has written so far; null for what it has deleted. */
  final Map<Row, byte[]> writes = new LinkedHashMap<>();

  /** Reads a row that it has not written. */
  abstract byte[] read(Row row) throws IOException;

  @Override
  public final byte[] get(Row row) throws IOException {
    return writes.containsKey(row) ? writes.get(row) : read(row);
  }

  @Override
  public final void put(Row row, byte[] value) {
    writes.put(row, value);
  }

  @Override
  public final void delete(Row row) {
    writes.put(row, null);
  }
}
