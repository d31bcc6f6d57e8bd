package io.retso.hbase.coprocessor.read;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.retso.hbase.layout.CellVersion;
import io.retso.hbase.layout.Outcome;
import io.retso.hbase.resolve.KnownOutcomes;
import java.util.Map;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.Filter.ReturnCode;
import org.apache.hadoop.hbase.filter.FilterBase;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;

/**
 * How far a row in doubt is read: a row that is written often has thousands of versions in memory
 * between two flushes, all of them adopted but for the newest.
 */
class DownToTest {
  private static final long READER = 160;

  /** By start timestamp, as the region knows. */
  private static final Map<Long, Long> OUTCOMES =
      Map.of(144L, Outcome.ABORTED, 128L, READER + 16, 112L, 120L);

  private static boolean endsAt(FilterBase filter, long version) throws Exception {
    byte[] name = Bytes.toBytes("x");
    ReturnCode code = ((Filter) filter).filterCell(new KeyValue(name, name, name, version, name));
    return code == ReturnCode.INCLUDE_AND_NEXT_COL;
  }

  @Test
  void aSnapshotReadEndsAtWhatTheRegionKnowsToBeCommittedBelow() throws Exception {
    KnownOutcomes known = new KnownOutcomes(new long[] {112, 128, 144});
    known.look(OUTCOMES::get);
    DownTo filter = RegionReader.downToCommitted(known, READER);
    assertEquals(false, endsAt(filter, 144), "aborted");
    assertEquals(false, endsAt(filter, 128), "committed above the reader");
    assertEquals(true, endsAt(filter, 112));
    assertEquals(false, endsAt(filter, 96), "nothing is known");
    assertEquals(true, endsAt(filter, CellVersion.committed(96)), "by its own number");
  }

  @Test
  void theFirstChangeEndsAtWhatTheRegionKnowsToBeCommittedBelow() throws Exception {
    DownTo filter = FirstChangeReader.downToSnapshot(READER, v -> OUTCOMES.getOrDefault(v, 0L));
    assertEquals(false, endsAt(filter, CellVersion.committed(READER)), "above the snapshot");
    assertEquals(false, endsAt(filter, 144), "aborted");
    assertEquals(false, endsAt(filter, 128), "a change: whether it is seen depends on the next");
    assertEquals(true, endsAt(filter, 112));
    assertEquals(false, endsAt(filter, 96), "nothing is known");
    assertEquals(true, endsAt(filter, CellVersion.committed(96)), "by its own number");
  }
}
