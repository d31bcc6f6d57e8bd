package io.retso.hbase.cleanup;

import static io.retso.hbase.Fixture.F;
import static io.retso.hbase.Fixture.put;
import static io.retso.hbase.Fixture.scan;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.retso.hbase.Fixture;
import io.retso.hbase.RetsoCluster;
import io.retso.hbase.Transaction;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.admin.TablePreparation.Options;
import io.retso.hbase.layout.CleanupRequest;
import io.retso.hbase.layout.Outcome;
import io.retso.hbase.layout.RawVersion;
import io.retso.hbase.table.PreparedTable;
import io.retso.hbase.transaction.Inside;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Cleanup without a coprocessor: a row changes between the read and the mutation. */
@ExtendWith(RetsoCluster.Extension.class)
class ClientCleanupTest {
  private static final byte[] A = Fixture.bytes("a");
  private static final byte[] EMPTY = {};

  private Fixture fixture;
  private TransactionManager manager;
  private TableName name;
  private Transaction zombie;

  @BeforeEach
  void open(Fixture fixture) throws Exception {
    this.fixture = fixture;
    manager = fixture.manager();
    name = fixture.table(Options.CLIENT_READS);
    zombie = fixture.dyingManager().begin();
    write("1");
    manager.resolve(zombie.handle());
  }

  private Void write(String value) throws Exception {
    zombie.table(name).put(put("a", value));
    Inside.writes(zombie).sendAll().get(30, TimeUnit.SECONDS);
    return null;
  }

  private CleanupRequest request() {
    return new CleanupRequest(A, zombie.startTimestamp(), Outcome.ABORTED);
  }

  /** The cleanup fails, since {@code meanwhile} is done between the read and the mutation. */
  private void assertLeftIf(Callable<?> meanwhile) throws Exception {
    PreparedTable table =
        Fixture.prepared(
            manager,
            name,
            (method, call) -> {
              Object answers = call.call();
              if (method.equals("get")) {
                for (Object answer : (List<?>) answers) {
                  ((CompletableFuture<?>) answer).get(30, TimeUnit.SECONDS);
                }
                meanwhile.call();
              }
              return answers;
            });
    var cleaned = RowCleanup.send(table, List.of(request())).get(0);
    var failure = assertThrows(ExecutionException.class, () -> cleaned.get(30, TimeUnit.SECONDS));
    assertInstanceOf(RowCleanup.NotAsRead.class, failure.getCause());
  }

  private void cleanUp(CleanupRequest request) throws Exception {
    PreparedTable table = Inside.tables(manager).find(name).get(30, TimeUnit.SECONDS);
    RowCleanup.send(table, List.of(request)).get(0).get(30, TimeUnit.SECONDS);
  }

  private Void cleanUp() throws Exception {
    cleanUp(request());
    assertEquals(List.of(), fixture.raw(name));
    assertEquals("", manager.run(tx -> scan(tx.table(name), new Scan())));
    return null;
  }

  /** As many cells as were read, but the mark has another number. */
  @Test
  void rowThatItsWriterWritesMeanwhileKeepsItsMark() throws Exception {
    assertLeftIf(() -> write("2"));
    assertEquals(1, fixture.marks(name));
    cleanUp();
  }

  @Test
  void rowThatAnotherCleansUpMeanwhileIsFoundCleanByTheNextAttempt() throws Exception {
    assertLeftIf(this::cleanUp);
    cleanUp();
  }

  /** There was no mark to be read; there is one when the region is asked. */
  @Test
  void rowThatIsWrittenAgainAfterItsCleanupIsNotTakenForClean() throws Exception {
    cleanUp();
    assertLeftIf(() -> write("2"));
    assertEquals(1, fixture.marks(name));
    cleanUp();
  }

  /**
   * The delete marker of the first cleanup hides the cell, not the mark; it is in a file, the cell
   * is not, and a compaction drops the marker alone.
   */
  @Test
  void whatAnOldDeleteHidesGoesWithItsMark() throws Exception {
    flush();
    cleanUp();
    flush();
    write("1");
    cleanUp();
    for (HRegion region : fixture.regions(name)) {
      region.compact(true);
    }
    assertEquals(List.of(), fixture.raw(name));
    assertEquals("", manager.run(tx -> scan(tx.table(name), new Scan())));
  }

  /** A time range would never get past the moved cell: see {@link RawVersion}. */
  @Test
  @Timeout(60)
  void aMovedCellWithAnEmptyQualifierIsPassed() throws Exception {
    zombie.table(name).put(List.of(put("b", "1"), put("c", "1")));
    Inside.writes(zombie).sendAll().get(30, TimeUnit.SECONDS);
    TransactionManager dying = fixture.dyingManager();
    Transaction moved = dying.begin();
    Transaction later = dying.begin();
    fixture.flushWhileRead(
        name,
        () -> {
          moved.table(name).put(new Put(A).addColumn(F, EMPTY, Fixture.bytes("moved")));
          Inside.writes(moved).sendAll().get(30, TimeUnit.SECONDS);
          later.table(name).put(put("b", "2")); // so the file is not passed over
          Inside.writes(later).sendAll().get(30, TimeUnit.SECONDS);
        });
    long committed = moved.commit().getAsLong();
    cleanUp(new CleanupRequest(A, moved.startTimestamp(), committed));
    later.table(name).put(put("a", "2"));
    Inside.writes(later).sendAll().get(30, TimeUnit.SECONDS);
    later.rollback();
    cleanUp(new CleanupRequest(A, later.startTimestamp(), Outcome.ABORTED));
    assertEquals("a=null", manager.run(tx -> scan(tx.table(name), new Scan())));
    Result row = manager.run(tx -> tx.table(name).get(Fixture.get("a")));
    assertEquals("moved", Fixture.text(row.getValue(F, EMPTY)));
  }

  private void flush() throws IOException {
    for (HRegion region : fixture.regions(name)) {
      region.flush(true);
    }
  }
}
