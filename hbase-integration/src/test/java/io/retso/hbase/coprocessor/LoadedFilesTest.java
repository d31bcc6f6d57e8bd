package io.retso.hbase.coprocessor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.Fixture;
import io.retso.hbase.RetsoCluster;
import io.retso.hbase.coprocessor.HeldBatch.Hold;
import java.io.IOException;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.Future;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.io.hfile.HFileContextBuilder;
import org.apache.hadoop.hbase.regionserver.StoreFileWriter;
import org.apache.hadoop.hbase.tool.BulkLoadHFiles;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Files that are loaded into a table, beside transactions that its regions adopt. */
@ExtendWith(RetsoCluster.Extension.class)
@Timeout(120)
class LoadedFilesTest {
  private static final String ROW = AdoptingTable.ROW;
  private static final byte[] R = Bytes.toBytes(ROW);
  private static final byte[] A = Bytes.toBytes("a");
  private static final byte[] PLAIN = Bytes.toBytes("plain");

  private AdoptingTable t;

  @BeforeEach
  void create(RetsoCluster cluster) throws Exception {
    t = new AdoptingTable(cluster, table -> {});
  }

  @AfterEach
  void drop() throws Exception {
    t.close();
  }

  /** Loads a file of family f with these cells. */
  private Void load(KeyValue... cells) throws IOException {
    Configuration configuration = new Configuration(t.cluster.configuration());
    configuration.setInt(HConstants.HBASE_CLIENT_RETRIES_NUMBER, 3); // HBase counts them up ahead
    Path directory = new Path(configuration.get("hbase.tmp.dir"), t.name.getNameAsString());
    StoreFileWriter writer =
        new StoreFileWriter.Builder(configuration, directory.getFileSystem(configuration))
            .withOutputDir(new Path(directory, "f"))
            .withFileContext(new HFileContextBuilder().build())
            .build();
    for (KeyValue cell : cells) {
      writer.append(cell);
    }
    writer.appendMetadata(1, false);
    writer.close();
    BulkLoadHFiles.create(configuration).bulkLoad(t.name, directory);
    return null;
  }

  /** Deletes what is at or below a version. */
  private static KeyValue deleteUpTo(long version) {
    return new KeyValue(R, RawTable.F, A, version, KeyValue.Type.DeleteColumn);
  }

  private Map<String, String> read() throws IOException {
    return t.read(t.snapshot(), ROW);
  }

  /** It has a delete of a version that is not below the transaction's. */
  @Test
  void whatALoadedFileMayHideIsNotAdopted() throws IOException {
    long earlier = t.oracle.begin();
    long start = t.oracle.begin();
    load(deleteUpTo(start));
    t.write(earlier, "s", "a", "1"); // its mark is a cell
    t.write(start, ROW, "a", "1");
    long committed = t.commit(start, ROW);
    assertFalse(t.adopt(start, committed, 1));
    t.cleanUp(start, committed, ROW);
    assertEquals(Map.of(), read());
  }

  /** The memory was flushed for the load before, and will be by and by. */
  @Test
  void whatAFileMayHideThatIsBeingLoadedIsNotAdopted() throws Exception {
    long earlier = t.oracle.begin();
    long start = t.oracle.begin();
    Hold hold = HeldStore.into(t.region()).holdNextLoad();
    Future<?> load = t.inBackground(() -> load(deleteUpTo(start)));
    hold.awaitReached();
    t.write(earlier, "s", "a", "1"); // its mark is a cell
    t.write(start, ROW, "a", "1");
    long committed = t.commit(start, ROW);
    try {
      assertFalse(t.adopt(start, committed, 1));
    } finally {
      hold.release();
    }
    load.get();
    t.cleanUp(start, committed, ROW);
    assertEquals(Map.of(), read());
    t.flush();
    assertEquals(Map.of(), read());
  }

  /**
   * HBase does not flush for a load while a flush is under way, be it of the marks only. So what
   * was adopted would be in memory, and the file would count as older than what is there.
   */
  @Test
  void aLoadWaitsForAFlushThatIsUnderWay() throws Exception {
    t.table.put(new Put(R).addColumn(RawTable.F, PLAIN, 17, Bytes.toBytes("in memory")));
    long start = t.writeWithoutCell(ROW);
    t.commitAndAdopt(start, ROW);
    Hold hold = HeldStore.into(t.region()).holdNextFlushOfMarks();
    Future<?> flush =
        t.inBackground(
            () -> {
              t.flush(AdoptingTable.MARKS);
              return null;
            });
    hold.awaitReached();
    KeyValue plain = new KeyValue(R, RawTable.F, PLAIN, 17, Bytes.toBytes("loaded"));
    Future<?> load = t.inBackground(() -> load(deleteUpTo(start), plain));
    Fixture.eventually("it waits", () -> load.isDone() || isWaitingForFlushes());
    hold.release();
    flush.get();
    load.get();
    Map<String, String> loaded = Map.of("a", "1", "plain", "loaded");
    assertEquals(loaded, read());
    t.flush();
    assertEquals(loaded, read());
    assertTrue(t.table.exists(new Get(R).addColumn(RawTable.F, A)));
  }

  private static boolean isWaitingForFlushes() {
    return Thread.getAllStackTraces().values().stream()
        .flatMap(Arrays::stream)
        .anyMatch(frame -> frame.getMethodName().equals("waitForFlushes"));
  }

  /** After a load regions adopt again. */
  @Test
  void whatBeginsAfterALoadIsAdopted() throws IOException {
    load(new KeyValue(R, RawTable.F, PLAIN, 17, Bytes.toBytes("loaded")));
    t.write(t.oracle.begin(), "s", "a", "1"); // its mark is a cell
    long start = t.writeWithoutCell(ROW);
    t.commitAndAdopt(start, ROW);
    assertEquals(Map.of("a", "1", "plain", "loaded"), read());
  }
}
