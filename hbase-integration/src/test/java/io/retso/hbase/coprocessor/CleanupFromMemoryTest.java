package io.retso.hbase.coprocessor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.RetsoCluster;
import io.retso.hbase.coprocessor.HeldBatch.Hold;
import io.retso.hbase.layout.CleanupRequest;
import io.retso.hbase.layout.PendingWrite;
import io.retso.hbase.layout.Tombstone;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Row;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.io.hfile.HFileContextBuilder;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.StoreFileWriter;
import org.apache.hadoop.hbase.tool.BulkLoadHFiles;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Cleanups without a read leave what those with a read leave. */
@ExtendWith(RetsoCluster.Extension.class)
@Timeout(120)
class CleanupFromMemoryTest {
  private static final String ROW = "r";
  private static final byte[] R = Bytes.toBytes(ROW);
  private static final byte[] A = Bytes.toBytes("a");
  private static final byte[] B = Bytes.toBytes("b");

  private final ExecutorService background = Executors.newCachedThreadPool();
  private RawTable t;

  @BeforeEach
  void create(RetsoCluster cluster) throws Exception {
    t = new RawTable(cluster);
  }

  @AfterEach
  void drop() throws Exception {
    background.shutdownNow();
    assertTrue(background.awaitTermination(60, TimeUnit.SECONDS));
    t.close();
  }

  private static long fromMemory() {
    return RawTable.count("cleanedFromMemory");
  }

  private static Put put(long start, int batch, byte[] column, String value) {
    return PendingWrite.mark(new Put(R), start, batch)
        .addColumn(RawTable.F, column, start, Bytes.toBytes(value));
  }

  /** A cleanup that names the only batch; tells whether the region did without a read. */
  private boolean cleanUp(long start, long outcome, int onlyBatch) throws IOException {
    long before = fromMemory();
    t.table.put(new CleanupRequest(R, start, outcome, onlyBatch).toPut());
    return fromMemory() > before;
  }

  /** Everything but the row. */
  private List<String> raw(String row) throws IOException {
    return t.raw(row).stream()
        .map(
            cell ->
                Bytes.toString(CellUtil.cloneFamily(cell))
                    + ':'
                    + Bytes.toStringBinary(CellUtil.cloneQualifier(cell))
                    + '@'
                    + cell.getTimestamp()
                    + ' '
                    + cell.getType()
                    + ' '
                    + Bytes.toStringBinary(CellUtil.cloneValue(cell)))
        .toList();
  }

  @Test
  void leavesTheSameCellsAsARead() throws Exception {
    Random random = new Random(20261);
    int remembered = 0;
    for (int round = 0; round < 60; round++) {
      String trace = "seed 20261, round " + round;
      String known = "known" + round % 5;
      String read = "read" + round % 5;
      long start = t.oracle.begin();
      int batches = 1 + random.nextInt(4) / 3;
      for (int batch = 1; batch <= batches; batch++) {
        long seed = random.nextLong();
        List<Row> writes = new ArrayList<>();
        writes.add(randomPut(known, start, batch, new Random(seed)));
        writes.add(randomPut(read, start, batch, new Random(seed)));
        t.table.batch(writes, new Object[2]);
      }
      if (random.nextInt(5) == 0) {
        t.flush();
      }
      long outcome = CleanupRequest.ABORTED;
      if (random.nextInt(4) == 0) {
        t.oracle.abort(start);
      } else {
        outcome = t.commit(start, known);
      }
      long before = fromMemory();
      int only = batches == 1 ? 1 : 0;
      t.table.put(new CleanupRequest(Bytes.toBytes(known), start, outcome, only).toPut());
      remembered += (int) (fromMemory() - before);
      t.table.put(new CleanupRequest(Bytes.toBytes(read), start, outcome).toPut());
      t.oracle.cleanedUp(start);
      assertEquals(raw(read), raw(known), trace);
      long snapshot = t.snapshot();
      assertEquals(t.read(snapshot, read), t.read(snapshot, known), trace);
    } // a long pause of the machine makes the region forget some
    assertTrue(remembered > 20, remembered + " rows of 60 were cleaned up without a read");
  }

  private static Put randomPut(String row, long start, int batch, Random random) {
    Put put = PendingWrite.mark(new Put(Bytes.toBytes(row)), start, batch);
    for (int i = random.nextInt(5); i >= 0; i--) {
      byte[] value = new byte[random.nextInt(20)];
      random.nextBytes(value);
      put.addColumn(
          random.nextBoolean() ? RawTable.F : RawTable.G,
          Bytes.toBytes("c" + random.nextInt(4)),
          start,
          random.nextInt(4) == 0 ? Tombstone.value() : value);
    }
    return put;
  }

  @Test
  void anAbortedWriteIsRemovedWithoutARead() throws IOException {
    long start = t.oracle.begin();
    t.table.put(put(start, 1, A, "1"));
    t.oracle.abort(start);
    assertTrue(cleanUp(start, CleanupRequest.ABORTED, 1));
    assertEquals(List.of(), t.cells(ROW));
  }

  @Test
  void aDuplicateOfTheFirstBatchAfterTheSecondDoesNotHideTheSecond() throws IOException {
    long start = t.oracle.begin();
    t.table.put(put(start, 1, A, "1"));
    t.table.put(put(start, 2, B, "2"));
    t.table.put(put(start, 1, A, "1"));
    cleanUp(start, t.commit(start, ROW), 2);
    assertEquals(Map.of("a", "1", "b", "2"), t.read(t.snapshot(), ROW));
    assertTrue(t.cells(ROW).stream().noneMatch(cell -> cell.getTimestamp() == start));
  }

  @Test
  void aRowOfUnknownBatchesIsRead() throws IOException {
    long start = t.oracle.begin();
    t.table.put(put(start, 1, A, "1"));
    t.table.put(put(start, 2, B, "2"));
    cleanUp(start, t.commit(start, ROW), 0);
    assertEquals(Map.of("a", "1", "b", "2"), t.read(t.snapshot(), ROW));
    assertTrue(t.cells(ROW).stream().noneMatch(cell -> cell.getTimestamp() == start));
  }

  /** The reader that healed the row did not name a batch. */
  @Test
  void aCleanupBySomebodyElseMakesTheRegionForget() throws IOException {
    long start = t.oracle.begin();
    t.table.put(put(start, 1, A, "1"));
    long committed = t.commit(start, ROW);
    cleanUp(start, committed, 0);
    List<String> once = raw(ROW);
    assertFalse(cleanUp(start, committed, 1));
    cleanUp(start, CleanupRequest.ABORTED, 1);
    assertEquals(once, raw(ROW));
    assertEquals(Map.of("a", "1"), t.read(t.snapshot(), ROW));
  }

  @Test
  void aReopenedRegionReads() throws IOException {
    long start = t.oracle.begin();
    t.table.put(put(start, 1, A, "1"));
    t.reopen();
    cleanUp(start, t.commit(start, ROW), 1);
    assertEquals(Map.of("a", "1"), t.read(t.snapshot(), ROW));
    assertTrue(t.cells(ROW).stream().noneMatch(PendingWrite::isMark));
  }

  @Test
  void belowTheHorizonItOnlyRemoves() throws IOException {
    long start = t.oracle.begin();
    t.table.put(put(start, 1, A, "1"));
    long committed = t.commit(start, ROW);
    cleanUp(start, committed, 1);
    t.table.put(put(start, 1, B, "1")); // a late duplicate, let us say
    t.oracle.cleanedUp(start);
    t.snapshot();
    t.flush();
    assertTrue(t.oracle.lowWatermark() > start);
    cleanUp(start, committed, 1);
    assertEquals(Map.of("a", "1"), t.read(t.snapshot(), ROW));
    assertTrue(t.cells(ROW).stream().noneMatch(PendingWrite::isMark));
  }

  @Test
  void whatAPlainDeleteRemovedStaysAway() throws Exception {
    List<PlainDelete> ways =
        List.of(
            delete -> t.table.delete(delete),
            delete -> t.table.batch(List.of(delete), new Object[1]),
            delete -> t.table.mutateRow(RowMutations.of(List.of((Mutation) delete))),
            delete ->
                t.table.checkAndMutate(
                    CheckAndMutate.newBuilder(R).ifNotExists(RawTable.G, A).build(delete)));
    for (PlainDelete way : ways) {
      long start = t.oracle.begin();
      t.table.put(put(start, 1, A, "1"));
      way.apply(new Delete(R).addColumn(RawTable.F, A, start));
      cleanUp(start, t.commit(start, ROW), 1);
      assertEquals(List.of(), t.cells(ROW));
    }
  }

  private interface PlainDelete {
    void apply(Delete delete) throws IOException, InterruptedException;
  }

  @Test
  void aPlainDeleteOfTheMarkLeavesNothingToCleanUp() throws IOException {
    long start = t.oracle.begin();
    t.table.put(put(start, 1, A, "1"));
    t.table.delete(
        new Delete(R).addColumn(PendingWrite.family(), PendingWrite.qualifier(start), start));
    List<String> before = raw(ROW);
    cleanUp(start, t.commit(start, ROW), 1);
    assertEquals(before, raw(ROW));
  }

  /** A plain put may change the cell, or add one of the version. */
  @Test
  void aPlainPutOfTheVersionIsNotLost() throws IOException {
    long start = t.oracle.begin();
    t.table.put(put(start, 1, A, "1"));
    t.table.put(new Put(R).addColumn(RawTable.F, A, start, Bytes.toBytes("plain")));
    cleanUp(start, t.commit(start, ROW), 1);
    assertEquals(Map.of("a", "plain"), t.read(t.snapshot(), ROW));
  }

  /** The delete has begun before the write and is applied after it. */
  @Test
  void aPlainDeleteThatBeganBeforeTheWriteRemovesIt() throws Exception {
    long start = t.oracle.begin();
    Hold hold = HeldBatch.into(region()).holdNext();
    Future<?> delete = applyHeld(hold, new Delete(R).addColumn(RawTable.F, A, start));
    t.table.put(put(start, 1, A, "1"));
    hold.release();
    delete.get();
    cleanUp(start, t.commit(start, ROW), 1);
    assertEquals(List.of(), t.cells(ROW));
  }

  /** The same with a put, which hides nothing, so that only the order in time keeps it. */
  @Test
  void aPlainPutThatBeganBeforeTheWriteIsNotLost() throws Exception {
    long start = t.oracle.begin();
    Hold hold = HeldBatch.into(region()).holdNext();
    Put plain = new Put(R).addColumn(RawTable.F, A, start, Bytes.toBytes("plain"));
    Future<?> held = applyHeld(hold, plain);
    t.table.put(put(start, 1, A, "1"));
    hold.release();
    held.get();
    cleanUp(start, t.commit(start, ROW), 1);
    assertEquals(Map.of("a", "plain"), t.read(t.snapshot(), ROW));
  }

  @Test
  void aPlainPutDuringTheWriteIsMovedWithIt() throws Exception {
    long start = t.oracle.begin();
    Hold hold = HeldBatch.into(region()).holdNext();
    Future<?> write = applyHeld(hold, put(start, 1, A, "1"));
    t.table.put(new Put(R).addColumn(RawTable.F, B, start, Bytes.toBytes("plain")));
    hold.release();
    write.get();
    cleanUp(start, t.commit(start, ROW), 1);
    assertEquals(Map.of("a", "1", "b", "plain"), t.read(t.snapshot(), ROW));
    assertTrue(t.cells(ROW).stream().noneMatch(cell -> cell.getTimestamp() == start));
  }

  /** HBase's deletes hide later puts of their version, too. */
  @Test
  void aPlainDeleteDuringTheWriteHidesIt() throws Exception {
    long start = t.oracle.begin();
    Hold hold = HeldBatch.into(region()).holdNext();
    Future<?> write = applyHeld(hold, put(start, 1, A, "1"));
    t.table.delete(new Delete(R).addColumn(RawTable.F, A, start));
    hold.release();
    write.get();
    cleanUp(start, t.commit(start, ROW), 1);
    assertEquals(Map.of(), t.read(t.snapshot(), ROW));
  }

  @Test
  void aPlainDeleteBeforeTheWriteHidesIt() throws IOException {
    long start = t.oracle.begin();
    t.table.delete(new Delete(R).addColumns(RawTable.F, A, start));
    t.table.put(put(start, 1, A, "1"));
    cleanUp(start, t.commit(start, ROW), 1);
    assertEquals(Map.of(), t.read(t.snapshot(), ROW));
  }

  @Test
  void aPlainDeleteInAFileHidesWhatIsWrittenAfterTheRegionOpened() throws IOException {
    long start = t.oracle.begin();
    t.table.delete(new Delete(R).addColumns(RawTable.F, A, start));
    t.flush();
    t.reopen();
    t.table.put(put(start, 1, A, "1"));
    cleanUp(start, t.commit(start, ROW), 1);
    assertEquals(Map.of(), t.read(t.snapshot(), ROW));
  }

  /** HBase writes one when nothing is left; its time range is all times. */
  @Test
  void anEmptyFileHidesNothing() throws IOException {
    t.update(ROW, "a", "0");
    t.flush();
    t.compact();
    assertTrue(
        region().getStore(PendingWrite.family()).getStorefiles().stream()
            .anyMatch(file -> file.getReader().getEntries() == 0),
        "the marks left an empty file");
    t.reopen();
    long start = t.oracle.begin();
    t.table.put(put(start, 1, A, "1"));
    assertTrue(cleanUp(start, t.commit(start, ROW), 1));
    assertEquals(Map.of("a", "1"), t.read(t.snapshot(), ROW));
  }

  @Test
  void whatOtherCoprocessorsAddCountsAsPlain() throws IOException {
    AddedChanges added = AddedChanges.into(region());
    long other = t.oracle.begin();
    t.write(other, "s", "a", "1");
    t.oracle.abort(other);
    long start = t.oracle.begin();
    t.table.put(put(start, 1, A, "1"));
    added.addNext(new Delete(R).addColumn(RawTable.F, A, start));
    t.cleanUp(other, CleanupRequest.ABORTED, "s");
    cleanUp(start, t.commit(start, ROW), 1);
    assertEquals(List.of(), t.cells(ROW));
  }

  /** HBase does not take back what it applied; nobody knows what is there. */
  @Test
  void aBatchThatFailedIsNotRemembered() throws IOException {
    long start = t.oracle.begin();
    t.table.put(put(start, 1, A, "1"));
    AddedChanges failing = AddedChanges.into(region());
    failing.setFailing(true);
    assertThrows(IOException.class, () -> t.table.put(put(start, 2, B, "2")));
    failing.setFailing(false);
    t.oracle.abort(start);
    cleanUp(start, CleanupRequest.ABORTED, 1);
    assertEquals(List.of(), t.cells(ROW));
  }

  /** It has a delete of a version that is not below the transaction's. */
  @Test
  void whatALoadedFileMayHideIsNotRemembered() throws IOException {
    Configuration configuration = t.cluster.configuration();
    Path directory = new Path(configuration.get("hbase.tmp.dir"), t.name.getNameAsString());
    long start = t.oracle.begin();
    StoreFileWriter writer =
        new StoreFileWriter.Builder(configuration, directory.getFileSystem(configuration))
            .withOutputDir(new Path(directory, "f"))
            .withFileContext(new HFileContextBuilder().build())
            .build();
    writer.append(new KeyValue(R, RawTable.F, A, start, KeyValue.Type.DeleteColumn));
    writer.appendMetadata(1, false);
    writer.close();
    BulkLoadHFiles.create(configuration).bulkLoad(t.name, directory);
    t.table.put(put(start, 1, A, "1"));
    assertFalse(cleanUp(start, t.commit(start, ROW), 1));
    assertEquals(Map.of(), t.read(t.snapshot(), ROW));
  }

  /** The second one does nothing: above all it does not delete what the first one moved. */
  @Test
  void aRowIsCleanedUpOnceInABatch() throws IOException {
    long start = t.oracle.begin();
    t.table.put(put(start, 1, A, "1"));
    long committed = t.commit(start, ROW);
    Mutation[] twice = new Mutation[2];
    Arrays.setAll(twice, i -> new CleanupRequest(R, start, committed, 1).toPut());
    region().batchMutate(twice);
    assertEquals(Map.of("a", "1"), t.read(t.snapshot(), ROW));
  }

  private HRegion region() {
    return t.regions().get(0);
  }

  private Future<?> applyHeld(Hold hold, Mutation mutation) throws InterruptedException {
    HRegion region = region();
    Future<?> done = background.submit(() -> region.batchMutate(new Mutation[] {mutation}));
    hold.awaitReached();
    return done;
  }

  /** Another coprocessor refuses a load of files: HBase calls no hook after it. */
  @Test
  void aRegionRemembersAgainAfterALoadOfFilesThatWasRefused() throws Exception {
    HRegion region = t.regions().get(0);
    HeldStore store = HeldStore.into(region);
    store.setRefusing(true);
    assertThrows(IOException.class, () -> region.getCoprocessorHost().preBulkLoadHFile(List.of()));
    store.setRefusing(false);
    region.batchMutate(new Mutation[] {new Put(B).addColumn(RawTable.F, A, B)}); // same thread
    long start = t.oracle.begin();
    t.table.put(put(start, 1, A, "1"));
    assertTrue(cleanUp(start, t.commit(start, ROW), 1));
  }
}
