package io.retso.hbase.coprocessor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.Fixture;
import io.retso.hbase.RetsoCluster;
import io.retso.hbase.coprocessor.HeldBatch.Hold;
import io.retso.hbase.coprocessor.hbase.HBaseInternals;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Future;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.ExtendedCell;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.Store;
import org.apache.hadoop.hbase.regionserver.StoreFile;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** HBase behaves in its inside as {@link HBaseInternals} says. */
@ExtendWith(RetsoCluster.Extension.class)
@Timeout(120)
class HBaseInternalsTest {
  private static final byte[] A = Bytes.toBytes("a");

  private AdoptingTable t;
  private HRegion region;
  private Store store;
  private volatile Thread writer;

  @BeforeEach
  void create(RetsoCluster cluster) throws Exception {
    t = new AdoptingTable(cluster, table -> {});
    region = t.region();
    store = region.getStore(RawTable.F);
  }

  @AfterEach
  void drop() throws Exception {
    t.close();
  }

  private void put(long version) throws IOException {
    t.table.put(new Put(A).addColumn(RawTable.F, A, version, A));
  }

  @Test
  void theListOfFilesIsAnotherOneAfterEachCommit() throws IOException {
    Collection<? extends StoreFile> before = HBaseInternals.files(store);
    put(1);
    assertSame(before, HBaseInternals.files(store));
    t.flush();
    Collection<? extends StoreFile> one = HBaseInternals.files(store);
    assertNotSame(before, one);
    put(2);
    t.flush();
    Collection<? extends StoreFile> two = HBaseInternals.files(store);
    assertNotSame(one, two);
    assertEquals(1, one.size(), "lists do not change");
    t.compact();
    assertNotSame(two, HBaseInternals.files(store));
    assertEquals(1, HBaseInternals.files(store).size());
  }

  @Test
  void memoryIsEmptyWhenItIsInFiles() throws Exception {
    put(1);
    assertFalse(HBaseInternals.isMemoryEmpty(store));
    Hold hold = HeldStore.into(region).holdNextFlush();
    Future<?> flush = t.inBackground(() -> region.flush(true));
    hold.awaitReached();
    assertEquals(0, store.getMemStoreSize().getCellsCount());
    assertFalse(HBaseInternals.isMemoryEmpty(store), "it is in the snapshot of the flush");
    assertFalse(HBaseInternals.flush(region, AdoptingTable.MARKS), "one at a time");
    hold.release();
    flush.get();
    assertTrue(HBaseInternals.isMemoryEmpty(store));
  }

  @Test
  void aFlushOfOneFamilyLeavesTheOthers() throws IOException {
    put(1);
    assertTrue(HBaseInternals.flush(region, AdoptingTable.MARKS));
    assertFalse(HBaseInternals.isMemoryEmpty(store));
    assertTrue(HBaseInternals.isMemoryEmpty(region.getStore(AdoptingTable.MARKS)));
  }

  @Test
  void noBatchIsAppliedWhileUpdatesAreBlocked() throws Exception {
    long before = store.getMemStoreSize().getCellsCount();
    Future<?> write;
    HBaseInternals.blockUpdates(region);
    try {
      write =
          t.inBackground(
              () -> {
                writer = Thread.currentThread();
                region.put(new Put(A).addColumn(RawTable.F, A, 1, A));
                return null;
              });
      Fixture.eventually("it waits for the lock", () -> write.isDone() || isLocking(writer));
      assertEquals(before, store.getMemStoreSize().getCellsCount());
    } finally {
      HBaseInternals.unblockUpdates(region);
    }
    write.get();
    assertEquals(before + 1, store.getMemStoreSize().getCellsCount());
  }

  private static boolean isLocking(Thread thread) {
    return thread != null
        && Arrays.stream(thread.getStackTrace())
            .anyMatch(frame -> frame.getMethodName().equals("tryLock"));
  }

  @Test
  void numbersGrow() throws IOException {
    long opened = HBaseInternals.openedAt(region);
    long before = HBaseInternals.readPoint(region);
    put(1);
    List<Long> numbers = numbers();
    assertTrue(numbers.stream().allMatch(number -> number > opened), numbers::toString);
    assertTrue(numbers.stream().anyMatch(number -> number > before), numbers::toString);
    long last = HBaseInternals.readPoint(region);
    assertTrue(numbers.stream().allMatch(number -> number <= last), numbers::toString);
    t.flush();
    assertEquals(numbers, numbers(), "also in files");
    long inFiles = HBaseInternals.lastSequence(HBaseInternals.files(store));
    assertTrue(numbers.stream().allMatch(number -> number <= inFiles), numbers::toString);
    t.reopen();
    assertTrue(HBaseInternals.openedAt(t.region()) > last);
  }

  /** Sequence numbers of the cells of family f. */
  private List<Long> numbers() throws IOException {
    List<Long> numbers = new ArrayList<>();
    HBaseInternals.read(
        region,
        RawTable.F,
        new Scan().addFamily(RawTable.F),
        cell -> numbers.add(((ExtendedCell) cell).getSequenceId()));
    return numbers;
  }

  @Test
  void deletesCountAmongTheVersionsOfFiles() throws IOException {
    long above = t.oracle.begin() + 1_000_000;
    t.table.delete(new Delete(A).addColumns(RawTable.F, A, above));
    t.flush();
    assertEquals(above, HBaseInternals.lastVersion(region));
    assertTrue(HBaseInternals.versionsOfFiles(store, List.of()).test(above));
    assertFalse(HBaseInternals.versionsOfFiles(store, List.of()).test(above + 1));
    assertFalse(HBaseInternals.versionsOfFiles(store, HBaseInternals.files(store)).test(above));
  }

  @Test
  void deletesHideWhatTheyHideFromReaders() throws IOException {
    HBaseInternals.Deletes deletes = HBaseInternals.deletesOf(store);
    Cell put = new Put(A).addColumn(RawTable.F, A, 5, A).get(RawTable.F, A).get(0);
    deletes.add(
        new Delete(A).addColumns(RawTable.F, A, 5).getFamilyCellMap().get(RawTable.F).get(0));
    assertTrue(deletes.hide(put));
    deletes.nextRow();
    assertFalse(deletes.hide(put));
  }
}
