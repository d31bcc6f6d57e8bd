package io.retso.hbase.coprocessor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.RetsoCluster;
import io.retso.hbase.layout.ChangedRow;
import io.retso.hbase.layout.FirstChange;
import io.retso.hbase.resolve.SnapshotRequests;
import java.io.IOException;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.filter.BinaryComparator;
import org.apache.hadoop.hbase.filter.QualifierFilter;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What a region tells of changes to a user from whom another coprocessor hides cells. */
@ExtendWith(RetsoCluster.Extension.class)
class HiddenVersionsTest {
  private static final String ROW = "r";
  private static final Get WHOLE = new Get(Bytes.toBytes(ROW)).addFamily(RawTable.F);

  private RawTable t;

  @BeforeEach
  void create(RetsoCluster cluster) throws Exception {
    t = RawTable.adopting(cluster);
    HiddenFromReaders.into(t.regions().get(0));
  }

  @AfterEach
  void drop() throws IOException {
    t.close();
  }

  private String watched(long timestamp, Get get) throws IOException {
    Result result = t.table.get(SnapshotRequests.validating(get, RawTable.FINGERPRINT, timestamp));
    return ChangedRow.is(result) ? "changed" : RawTable.map(result).toString();
  }

  /** Up to now. */
  private long firstChange(long from) throws IOException {
    long upTo = t.snapshot();
    return FirstChange.of(
        t.table.get(SnapshotRequests.firstChange(WHOLE, RawTable.FINGERPRINT, from, upTo)));
  }

  private void assertUnchanged(long from, String when) throws IOException {
    assertEquals("{a=1}", watched(from, WHOLE), when);
    assertEquals(FirstChange.NONE, firstChange(from), when);
  }

  private void assertChanged(long from, long commit) throws IOException {
    assertEquals("changed", watched(from, WHOLE));
    assertEquals(commit, firstChange(from));
  }

  @Test
  void whatIsHiddenHasNotChanged() throws IOException {
    t.update(ROW, "a", "1");
    t.update(ROW, "h", "hidden 1");
    long early = t.oracle.begin();
    t.write(early, ROW, "i", "hidden early");
    long from = t.oracle.begin();
    assertUnchanged(from, "one that began before may commit");
    long committed = t.commit(early, ROW);
    assertUnchanged(from, "it has committed");
    t.cleanUp(early, committed, ROW);
    assertUnchanged(from, "it is cleaned up");
    long start = t.oracle.begin();
    t.write(start, ROW, "h", "hidden 2");
    assertUnchanged(from, "a later one may commit");
    long second = t.commit(start, ROW);
    assertUnchanged(from, "it has committed");
    assertTrue(t.adopt(start, second, 1));
    assertUnchanged(from, "it is adopted");
    t.flush();
    assertUnchanged(from, "it is moved");
    t.update(ROW, "h", null);
    assertUnchanged(from, "it is deleted");
    long shown = t.update(ROW, "a", "2");
    assertChanged(from, shown);
    assertEquals("{a=2}", watched(t.oracle.begin(), WHOLE));
  }

  /** The newest version counts in each snapshot, and is shown or not. */
  @Test
  void whatHidesAShownVersionIsAChange() throws IOException {
    t.update(ROW, "a", "1");
    long from = t.oracle.begin();
    long covered = t.update(ROW, "a", "hidden 2");
    assertChanged(from, covered);
    long later = t.oracle.begin();
    assertEquals("{}", watched(later, WHOLE));
    t.update(ROW, "a", "hidden 3");
    assertEquals("{}", watched(later, WHOLE));
    assertEquals(FirstChange.NONE, firstChange(later));
    long uncovered = t.update(ROW, "a", "4");
    assertChanged(later, uncovered);
    assertEquals(covered, firstChange(from));
  }

  @Test
  void whatHidesAShownVersionIsAChangeAlsoIfItBeganBefore() throws IOException {
    t.writeWithCell("s");
    t.update(ROW, "a", "1");
    long early = t.oracle.begin();
    t.write(early, ROW, "a", "hidden 2");
    long from = t.oracle.begin();
    assertEquals("changed", watched(from, WHOLE));
    assertEquals(FirstChange.NONE, firstChange(from));
    long covered = t.commit(early, ROW);
    assertTrue(t.adopt(early, covered, 1));
    assertChanged(from, covered);
    t.flush();
    assertChanged(from, covered);
  }

  @Test
  void theApplicationsFilterSeesWhatIsCurrent() throws IOException {
    t.update(ROW, "a", "1");
    t.update(ROW, "b", "1");
    long from = t.oracle.begin();
    Get a =
        new Get(WHOLE)
            .setFilter(
                new QualifierFilter(
                    CompareOperator.EQUAL, new BinaryComparator(Bytes.toBytes("a"))));
    assertEquals("{a=1}", watched(from, a));
    t.update(ROW, "b", "2");
    assertEquals("changed", watched(from, a), "all columns count, whatever it shows of them");
  }
}
