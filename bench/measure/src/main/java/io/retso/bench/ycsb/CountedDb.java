package io.retso.bench.ycsb;

import io.retso.ycsb.RetsoClient;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.Vector;
import site.ycsb.ByteIterator;
import site.ycsb.DB;
import site.ycsb.DBException;
import site.ycsb.Status;

/** A binding whose statuses are counted, as YCSB's wrapper does from the first one on. */
final class CountedDb extends DB {
  private final DB of;
  private long calls;
  private long conflicts;
  private long errors;

  CountedDb(DB of) {
    this.of = of;
  }

  @Override
  public void init() throws DBException {
    of.setProperties(getProperties());
    of.init();
  }

  @Override
  public void cleanup() throws DBException {
    of.cleanup();
  }

  /** Begins to count anew. */
  void forget() {
    calls = 0;
    conflicts = 0;
    errors = 0;
  }

  long calls() {
    return calls;
  }

  /** Transactions that another one was before. */
  long conflicts() {
    return conflicts;
  }

  long errors() {
    return errors;
  }

  private Status count(Status status) {
    calls++;
    if (status.equals(RetsoClient.CONFLICT)) {
      conflicts++;
    } else if (!status.isOk() && !status.equals(Status.NOT_FOUND)) { // it may not be there yet
      errors++;
    }
    return status;
  }

  @Override
  public Status read(
      String table, String key, Set<String> fields, Map<String, ByteIterator> result) {
    return count(of.read(table, key, fields, result));
  }

  @Override
  public Status scan(
      String table,
      String startKey,
      int records,
      Set<String> fields,
      Vector<HashMap<String, ByteIterator>> result) {
    return count(of.scan(table, startKey, records, fields, result));
  }

  @Override
  public Status update(String table, String key, Map<String, ByteIterator> values) {
    return count(of.update(table, key, values));
  }

  @Override
  public Status insert(String table, String key, Map<String, ByteIterator> values) {
    return count(of.insert(table, key, values));
  }

  @Override
  public Status delete(String table, String key) {
    return count(of.delete(table, key));
  }
}
