package io.retso.hbase.rights;

import io.retso.hbase.Fixture;
import io.retso.hbase.layout.ChangedRow;
import io.retso.hbase.layout.FirstChange;
import io.retso.hbase.resolve.SnapshotRequests;
import io.retso.hbase.table.PreparedTable;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.AsyncTable;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;

/** What regions tell a user of row a since a timestamp. */
record SeenChanges(AsyncConnection user, PreparedTable table, long from) {
  /** Its first value, or "changed"; then whether there was a commit up to another timestamp. */
  String seen(long upTo) throws Exception {
    AsyncTable<?> region = user.getTable(table.name());
    Get get = Fixture.get("a");
    Result current = region.get(SnapshotRequests.validating(get, table.fingerprint(), from)).get();
    long first =
        FirstChange.of(
            region.get(SnapshotRequests.firstChange(get, table.fingerprint(), from, upTo)).get());
    return (ChangedRow.is(current) ? "changed" : Fixture.text(current.value()))
        + (first == FirstChange.NONE ? ", no change" : ", at a commit");
  }
}
