package io.retso.bench.ycsb;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.retso.bench.ycsb.YcsbLoad.Counts;
import io.retso.ycsb.RetsoClient;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.Vector;
import org.junit.jupiter.api.Test;
import site.ycsb.ByteIterator;
import site.ycsb.DB;
import site.ycsb.Status;

/** What is counted of a binding, and what is made of the counts. */
class CountedDbTest {
  /** A binding whose calls have statuses that are known. */
  private static final class Known extends DB {
    private final Iterator<Status> statuses;

    Known(Status... statuses) {
      this.statuses = Arrays.asList(statuses).iterator();
    }

    @Override
    public Status read(
        String table, String key, Set<String> fields, Map<String, ByteIterator> result) {
      return statuses.next();
    }

    @Override
    public Status scan(
        String table,
        String startKey,
        int records,
        Set<String> fields,
        Vector<HashMap<String, ByteIterator>> result) {
      return statuses.next();
    }

    @Override
    public Status update(String table, String key, Map<String, ByteIterator> values) {
      return statuses.next();
    }

    @Override
    public Status insert(String table, String key, Map<String, ByteIterator> values) {
      return statuses.next();
    }

    @Override
    public Status delete(String table, String key) {
      return statuses.next();
    }
  }

  @Test
  void statusesAreCounted() {
    List<Status> statuses =
        List.of(
            Status.ERROR,
            Status.OK,
            Status.BATCHED_OK,
            RetsoClient.CONFLICT,
            Status.NOT_FOUND,
            RetsoClient.UNKNOWN_COMMIT);
    CountedDb db = new CountedDb(new Known(statuses.toArray(new Status[0])));
    assertEquals(statuses.get(0), db.delete("t", "k"));
    assertEquals(1, db.errors());
    db.forget();
    assertEquals(statuses.get(1), db.read("t", "k", null, null));
    assertEquals(statuses.get(2), db.update("t", "k", null));
    assertEquals(statuses.get(3), db.insert("t", "k", null));
    assertEquals(statuses.get(4), db.scan("t", "k", 1, null, null));
    assertEquals(statuses.get(5), db.read("t", "k", null, null));
    assertEquals(5, db.calls());
    assertEquals(1, db.conflicts());
    assertEquals(1, db.errors());
  }

  @Test
  void aConflictTakesAllCallsOfItsTransaction() {
    Counts one = new Counts(100, 150, 6, 0, 500_000_000L, 1);
    Counts all = one.add(new Counts(200, 250, 10, 1, 1_500_000_000L, 1));
    assertEquals(new Counts(300, 400, 16, 1, 2_000_000_000L, 2), all);
    assertEquals(300, all.perSecond(), 1e-9); // in a second, on the average
    assertEquals(0.04, all.refusedShare(1), 1e-9);
    assertEquals(0.2, all.refusedShare(5), 1e-9);
    assertEquals(1, new Counts(1, 1, 1, 0, 1, 1).refusedShare(5));
    assertEquals(0, new Counts(0, 0, 0, 0, 0, 0).refusedShare(5));
    assertEquals(0, new Counts(0, 0, 0, 0, 0, 0).perSecond());
  }
}
