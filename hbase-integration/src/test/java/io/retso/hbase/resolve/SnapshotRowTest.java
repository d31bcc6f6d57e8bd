package io.retso.hbase.resolve;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.layout.Outcome;
import io.retso.hbase.layout.PendingWrite;
import io.retso.hbase.layout.Tombstone;
import io.retso.hbase.resolve.SnapshotRow.FirstCommit;
import io.retso.hbase.resolve.SnapshotRow.Next;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;

/** The rules of docs/protocol.md, "Reads at Tr", one by one. The reader is at 320. */
public class SnapshotRowTest {
  private static final long TR = 320;
  private static final Predicate<Cell> SHOWN = cell -> true;
  private static final byte[] ROW = Bytes.toBytes("row");

  private final StatusCache cache = new StatusCache(64);
  private final WriterStatuses statuses = new WriterStatuses(cache);

  @Test
  void withoutMarksTheNewestBelowTheReaderIsVisible() {
    assertSees("a@305", cell("a", 305), cell("a", 289));
    assertSees("a@289", cell("a", 321), cell("a", 320), cell("a", 289));
    assertSees("", cell("a", 321));
    assertSees("a@177 b@33", cell("a", 177), cell("b", 33));
  }

  @Test
  void cellsOfPlainWritersAreCommittedAtTheirVersion() {
    assertSees("a@304", cell("a", 304), cell("a", 289));
    assertSees("a@307", cell("a", 307));
    assertSees("a@1", cell("a", 1));
    assertSees("a@303", mark(304), cell("a", 303)); // the mark of another column's writer
  }

  @Test
  void aTombstoneHidesWhatIsOlder() {
    assertSees("", tombstone("a", 305), cell("a", 289));
    assertSees("b@33", tombstone("a", 305), cell("a", 289), cell("b", 33));
    statuses.committed(272, 288);
    assertSees("", mark(272), tombstone("a", 272), cell("a", 33));
  }

  @Test
  void ownWritesAreVisibleAtTheirOwnVersion() {
    assertSees("a@320", mark(320), cell("a", 320), cell("a", 305));
    assertSees("", mark(320), tombstone("a", 320), cell("a", 305));
  }

  @Test
  void aPendingVersionIsShownAsCleanupWillLeaveIt() {
    statuses.committed(272, 288);
    Cell pending = cell("a", 272);
    assertSees("a@289", mark(272), pending, cell("a", 33));
    assertEquals(272, pending.getTimestamp(), "the original may be HBase's own");
  }

  @Test
  void whatIsNotCommittedBelowTheReaderIsPassedOver() {
    statuses.committed(272, 336);
    statuses.open(256);
    statuses.aborted(240);
    assertSees(
        "a@33",
        mark(240),
        mark(256),
        mark(272),
        cell("a", 272),
        cell("a", 256),
        cell("a", 240),
        cell("a", 33));
    assertSees("", mark(240), cell("a", 240));
  }

  @Test
  void unknownWritersOfAllColumnsAreAskedForAtOnce() {
    SnapshotRow row =
        row(
            SnapshotRow.ALL_VERSIONS,
            mark(208),
            mark(240),
            mark(256),
            mark(272),
            cell("a", 272),
            cell("a", 256),
            cell("a", 241),
            cell("a", 240), // older than a committed one: of no interest
            cell("b", 208));
    assertEquals(Next.ASK, row.resolve(statuses));
    assertArrayEquals(new long[] {272, 256, 208}, statuses.unknown());
    assertThrows(IllegalStateException.class, row::visible);
    statuses.open(272);
    assertEquals(Next.ASK, row.resolve(statuses));
    statuses.aborted(256);
    statuses.committed(208, 224);
    assertEquals(Next.RESOLVED, row.resolve(statuses));
    assertEquals("a@241 b@225", text(row.visible()));
    assertEquals(0, statuses.unknown().length);
  }

  @Test
  void aForgottenWriterIsAbortedIfItsMarkIsFoundAgain() {
    SnapshotRow row = row(SnapshotRow.ALL_VERSIONS, mark(272), cell("a", 272), cell("a", 33));
    assertEquals(Next.ASK, row.resolve(statuses));
    statuses.forgotten(272);
    assertEquals(Next.READ_AGAIN, row.resolve(statuses));
    assertSees("a@33", mark(272), cell("a", 272), cell("a", 33));
    assertEquals(Outcome.UNKNOWN, cache.get(272), "a proof for this row, not for all readers");
  }

  @Test
  void aForgottenWriterMayHaveBeenCleanedUp() {
    SnapshotRow row = row(SnapshotRow.ALL_VERSIONS, mark(272), cell("a", 272), cell("a", 33));
    row.resolve(statuses);
    statuses.forgotten(272);
    assertEquals(Next.READ_AGAIN, row.resolve(statuses));
    assertSees("a@289", cell("a", 289), cell("a", 33));
  }

  @Test
  void aLimitOfVersionsThatCutSomethingOffAsksForMore() {
    statuses.open(272);
    SnapshotRow row = row(1, mark(208), mark(272), cell("a", 272), cell("b", 33));
    assertEquals(Next.READ_AGAIN, row.resolve(statuses));
    assertEquals(3, row.versionsNeeded());
    SnapshotRow again = row(3, mark(208), mark(272), cell("a", 272), cell("b", 33));
    assertEquals(Next.RESOLVED, again.resolve(statuses));
    assertEquals("b@33", text(again.visible()));
  }

  @Test
  void decidedWritersWhoseMarksRemainAreToBeCleanedUp() {
    statuses.committed(208, 224);
    statuses.committed(240, 336); // above the reader
    statuses.aborted(256);
    statuses.open(272);
    SnapshotRow row =
        row(
            SnapshotRow.ALL_VERSIONS,
            mark(208),
            mark(240),
            mark(256),
            mark(272),
            mark(288), // was not asked for
            mark(TR),
            cell("a", TR));
    assertEquals(Next.RESOLVED, row.resolve(statuses));
    assertEquals(
        "[cleanup of row after 208 committed at 224, cleanup of row after 240 committed at 336,"
            + " cleanup of row after 256 aborted]",
        row.cleanups(statuses).toString());
    assertEquals(List.of(), row(1, cell("a", 33)).cleanups(statuses));
  }

  @Test
  void cellsAmongTheMarksThatAreNoneSayNothing() {
    Cell ofShell = new KeyValue(ROW, PendingWrite.family(), Bytes.toBytes("x"), 243, new byte[0]);
    Cell ofOther =
        new KeyValue(ROW, PendingWrite.family(), PendingWrite.qualifier(272), 240, new byte[0]);
    statuses.aborted(240);
    assertSees("a@240", ofOther, ofShell, cell("a", 240), cell("a", 33));
    assertEquals(List.of(), row(1, ofOther, ofShell, cell("a", 33)).cleanups(statuses));
  }

  @Test
  void inQuestionIsWhatComesBeforeTheFirstCommittedVersion() {
    assertArrayEquals(new long[0], SnapshotRow.inQuestion(List.of()));
    assertArrayEquals(
        new long[0],
        SnapshotRow.inQuestion(List.of(cell("a", 289), cell("a", 272), cell("b", 33))));
    assertArrayEquals(
        new long[] {160, 240, 256, 272, TR},
        SnapshotRow.inQuestion(
            List.of(
                cell("a", TR),
                cell("a", 272),
                cell("a", 257),
                cell("a", 16),
                cell("b", 272),
                cell("b", 256),
                cell("c", 240),
                cell("c", 160))));
  }

  @Test
  void resolvingTwiceGivesTheSameCells() {
    SnapshotRow row = row(1, cell("a", 33));
    row.resolve(statuses);
    List<Cell> visible = row.visible();
    row.resolve(statuses);
    assertSame(visible, row.visible());
  }

  @Test
  void whatWasInQuestionIsOfThePastIfItCommittedBelowTheReader() {
    statuses.committed(272, 288);
    statuses.committed(256, 336);
    statuses.aborted(240);
    statuses.open(208);
    SnapshotRow row =
        row(
            SnapshotRow.ALL_VERSIONS,
            mark(208),
            mark(240),
            mark(256),
            mark(272),
            cell("a", 272),
            cell("a", 240),
            cell("b", 256),
            cell("b", 208),
            cell("c", 192));
    assertEquals(Next.RESOLVED, row.resolve(statuses));
    assertTrue(row.isPast(new long[] {272, 240}, statuses));
    assertFalse(row.isPast(new long[] {272, 256}, statuses), "committed above");
    assertFalse(row.isPast(new long[] {208}, statuses), "open");
    assertTrue(row.isPast(new long[] {192}, statuses), "a plain writer's");
    assertFalse(row.isPast(new long[] {224}, statuses), "gone: perhaps committed above, and moved");
  }

  @Test
  void theFirstCommitIsFoundInAllColumns() {
    statuses.committed(272, 288);
    statuses.open(256);
    SnapshotRow row =
        row(
            SnapshotRow.ALL_VERSIONS,
            mark(224),
            mark(256),
            mark(272),
            cell("a", 305),
            cell("a", 272),
            cell("a", 200),
            cell("a", 161),
            cell("a", 145),
            cell("b", 256),
            cell("b", 224),
            cell("b", 33));
    assertEquals(new FirstCommit(Next.ASK, 288), row.firstCommitSince(176, statuses, SHOWN));
    assertArrayEquals(new long[] {224}, statuses.unknown());
    statuses.committed(224, 240);
    assertEquals(new FirstCommit(Next.RESOLVED, 240), row.firstCommitSince(176, statuses, SHOWN));
    assertEquals(new FirstCommit(Next.RESOLVED, 160), row.firstCommitSince(144, statuses, SHOWN));
    assertEquals(new FirstCommit(Next.RESOLVED, 304), row.firstCommitSince(296, statuses, SHOWN));
    assertEquals(
        new FirstCommit(Next.RESOLVED, Long.MAX_VALUE), row.firstCommitSince(312, statuses, SHOWN));
  }

  @Test
  void theFirstCommitIsLookedForAgainIfAWriterIsForgotten() {
    SnapshotRow row = row(SnapshotRow.ALL_VERSIONS, mark(272), cell("a", 272), cell("a", 33));
    assertEquals(Next.ASK, row.firstCommitSince(256, statuses, SHOWN).next());
    statuses.forgotten(272);
    assertEquals(Next.READ_AGAIN, row.firstCommitSince(256, statuses, SHOWN).next());
    SnapshotRow again = row(SnapshotRow.ALL_VERSIONS, mark(272), cell("a", 272), cell("a", 33));
    assertEquals(
        new FirstCommit(Next.RESOLVED, Long.MAX_VALUE),
        again.firstCommitSince(256, statuses, SHOWN));
  }

  /** Column a shows 65, then 97, then 145; b nothing at first, then 113; c never anything. */
  @Test
  void aCommitThatTheUserIsShownNothingOfIsNoChange() {
    SnapshotRow row =
        row(
            SnapshotRow.ALL_VERSIONS,
            cell("a", 145),
            cell("a", 129),
            cell("a", 97),
            cell("a", 65),
            cell("b", 161),
            cell("b", 113),
            tombstone("b", 81),
            cell("c", 177),
            cell("c", 49),
            cell("d", 0)); // of a plain writer
    Set<Long> hidden = Set.of(129L, 81L, 161L, 177L, 49L);
    Predicate<Cell> isShown = cell -> !hidden.contains(cell.getTimestamp());
    long[] changes = {96, 112, 128, 144, 160};
    for (long from = 64; from <= 176; from += 16) {
      long since = from;
      long first =
          Arrays.stream(changes).filter(change -> change > since).min().orElse(Long.MAX_VALUE);
      assertEquals(
          new FirstCommit(Next.RESOLVED, first), row.firstCommitSince(from, statuses, isShown));
    }
  }

  private void assertSees(String expected, Cell... cells) {
    SnapshotRow row = row(SnapshotRow.ALL_VERSIONS, cells);
    assertEquals(Next.RESOLVED, row.resolve(statuses));
    assertEquals(expected, text(row.visible()));
  }

  private SnapshotRow row(int versions, Cell... cells) {
    return new SnapshotRow(List.of(cells), TR, TR, versions, statuses.moment());
  }

  private static Cell mark(long start) {
    return new KeyValue(
        ROW, PendingWrite.family(), PendingWrite.qualifier(start), start, Bytes.toBytes(1));
  }

  private static Cell cell(String column, long version) {
    return cell(column, version, Bytes.toBytes("value of " + version));
  }

  private static Cell tombstone(String column, long version) {
    return cell(column, version, Tombstone.value());
  }

  private static Cell cell(String column, long version, byte[] value) {
    return new KeyValue(ROW, Bytes.toBytes("f"), Bytes.toBytes(column), version, value);
  }

  private static String text(List<Cell> cells) {
    List<String> texts = new ArrayList<>();
    for (Cell cell : cells) {
      texts.add(Bytes.toString(CellUtil.cloneQualifier(cell)) + "@" + cell.getTimestamp());
    }
    return String.join(" ", texts);
  }
}
