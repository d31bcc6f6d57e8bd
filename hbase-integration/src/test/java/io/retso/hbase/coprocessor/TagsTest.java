package io.retso.hbase.coprocessor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.RetsoCluster;
import io.retso.hbase.StoredTags;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Rights of cells and visibility labels are tags: they stay with cells, and marks have none. */
@ExtendWith(RetsoCluster.Extension.class)
class TagsTest {
  private static final String ROW = "r";

  private RawTable t;

  @BeforeEach
  void create(RetsoCluster cluster) throws Exception {
    t = RawTable.adopting(cluster);
    TaggedWrites.into(t.regions().get(0));
  }

  @AfterEach
  void drop() throws IOException {
    t.close();
  }

  private void assertTagged(String when) throws IOException {
    List<String> tags = StoredTags.of(t.cluster.hbase(), t.name, ROW);
    assertEquals(List.of("f 000464746167"), tags, when); // length, type and value
  }

  @Test
  void rowsThatAreCleanedUpKeepThem() throws IOException {
    long start = t.writeWithCell(ROW);
    assertTagged("written");
    t.cleanUp(start, t.commit(start, ROW), ROW);
    assertTagged("cleaned up");
    t.flush();
    t.compact();
    assertTagged("compacted");
  }

  @Test
  void flushesOfAdoptedOutcomesKeepThem() throws IOException {
    t.writeWithCell("s");
    long start = t.writeWithoutCell(ROW);
    assertTrue(t.adopt(start, t.commit(start, ROW), 1));
    assertTagged("adopted");
    t.flush();
    assertTagged("moved");
    t.compact();
    assertTagged("compacted");
  }

  /** A sweep by a user that may not see them would miss the mark, and the commit be forgotten. */
  @Test
  void marksHaveNone() throws IOException {
    t.writeWithCell(ROW);
    t.writeWithoutCell("s");
    t.flush();
    for (String row : List.of(ROW, "s")) {
      assertEquals(1, t.cellsOfMarks(row).size());
      assertEquals(0, PrivateCellUtil.cloneTags(t.cellsOfMarks(row).get(0)).length, row);
    }
  }
}
