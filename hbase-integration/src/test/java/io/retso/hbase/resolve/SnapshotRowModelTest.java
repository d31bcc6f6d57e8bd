package io.retso.hbase.resolve;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.layout.CleanupRequest;
import io.retso.hbase.resolve.SnapshotRow.Next;
import java.util.List;
import java.util.Random;
import java.util.SortedMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.apache.hadoop.hbase.Cell;

/**
 * {@link SnapshotRow} against a model that knows only who wrote what and committed when: for random
 * histories of one row, with events between the read, the questions to the oracle and the next
 * read.
 */
public class SnapshotRowModelTest {
  @Property(tries = 10_000)
  void clientReadsSeeTheSnapshot(@ForAll long seed) {
    check(seed, false);
  }

  @Property(tries = 10_000)
  void serverReadsSeeTheSnapshot(@ForAll long seed) {
    check(seed, true);
  }

  private static void check(long seed, boolean atServer) {
    Random random = new Random(seed);
    RowModel model = new RowModel(random);
    steps(model, random.nextInt(40));
    model.beginReader();
    StatusCache cache = new StatusCache(4); // displaces entries
    WriterStatuses statuses = new WriterStatuses(cache);
    for (int read = 0; read < 4; read++) {
      model.readerWrites(true);
      steps(model, random.nextInt(20));
      model.readerWrites(false);
      if (random.nextInt(4) == 0) {
        statuses = new WriterStatuses(cache);
      }
      SortedMap<String, String> expected = model.expected();
      SnapshotRow row = resolved(model, random, statuses, atServer);
      String context = "read " + read + " of seed " + seed + ": " + model;
      assertEquals(expected, RowModel.values(row.visible()), context);
      for (Cell cell : row.visible()) {
        assertTrue(cell.getTimestamp() <= model.readTimestamp(), context);
      }
      for (CleanupRequest request : row.cleanups(statuses)) {
        assertTrue(model.isTrue(request), request + " in " + context);
        model.cleanUp(request.start(), request.outcome());
      }
      assertEquals(expected, model.expected(), context);
    }
  }

  private static SnapshotRow resolved(
      RowModel model, Random random, WriterStatuses statuses, boolean atServer) {
    int versions = atServer ? SnapshotRow.ALL_VERSIONS : 1 + random.nextInt(2);
    for (int rounds = 0; rounds < 50; rounds++) {
      long moment = statuses.moment();
      long tr = model.readTimestamp();
      List<Cell> cells = atServer ? atServer(model) : model.cells(versions);
      SnapshotRow row = new SnapshotRow(cells, tr, tr, versions, moment);
      steps(model, random.nextInt(4));
      Next next = row.resolve(statuses);
      if (next == Next.ASK) {
        for (long start : statuses.unknown()) {
          steps(model, random.nextInt(2));
          model.answer(start, statuses);
        }
        next = row.resolve(statuses);
        assertTrue(next != Next.ASK, "one round of questions is enough: " + model);
      }
      if (next == Next.RESOLVED) {
        return row;
      }
      versions = row.versionsNeeded();
    }
    throw new AssertionError("never resolved: " + model);
  }

  /** Both parts of a server read under one read point. */
  private static List<Cell> atServer(RowModel model) {
    List<Cell> data = model.dataUpToCommitted();
    return SnapshotRow.inQuestion(data).length == 0 ? data : model.cells(SnapshotRow.ALL_VERSIONS);
  }

  private static void steps(RowModel model, int count) {
    for (int i = 0; i < count; i++) {
      model.step();
    }
  }
}
