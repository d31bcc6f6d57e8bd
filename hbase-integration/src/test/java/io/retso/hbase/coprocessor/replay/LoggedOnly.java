package io.retso.hbase.coprocessor.replay;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.ExtendedCell;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessor;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.RegionObserver;
import org.apache.hadoop.hbase.regionserver.FlushLifeCycleTracker;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.InternalScanner;
import org.apache.hadoop.hbase.regionserver.KeyValueScanner;
import org.apache.hadoop.hbase.regionserver.MiniBatchOperationInProgress;
import org.apache.hadoop.hbase.regionserver.Store;
import org.apache.hadoop.hbase.regionserver.StoreFile;
import org.apache.hadoop.hbase.regionserver.StoreScanner;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.wal.WALEdit;

/**
 * A coprocessor that keeps the cells of family {@link #MARKS} of some puts out of the memory and
 * puts them into the log only, and that notes what HBase does, for each table in order:
 *
 * <pre>
 *   open, closing       a region opened; closes (and a row is put then if the test says so)
 *   flush               HBase's hook for the whole region, before the memory is taken
 *   writes F            a flush begins to write family F; of {@link #DATA} with what MARKS has then
 *   wrote F             the file of F is in the store
 * </pre>
 *
 * <p>All is static: regions of one table open on several servers of this process. Thread-safe.
 */
public final class LoggedOnly implements RegionCoprocessor, RegionObserver {
  static final byte[] DATA = Bytes.toBytes("d");

  /** Sorts before the data, as {@code !pw} does. */
  static final byte[] MARKS = Bytes.toBytes("!p");

  static final byte[] Q = Bytes.toBytes("q");

  /** The attribute of a put whose cells of MARKS are to be in the log only. */
  static final String IN_LOG_ONLY = "in-log-only";

  /** What a test asks for, and what was noted. */
  static final class Notes {
    final List<String> events = new CopyOnWriteArrayList<>();

    /** Sequence numbers of puts, by row, at the moment when they are in memory but not visible. */
    final Map<String, Long> sequences = new ConcurrentHashMap<>();

    volatile boolean refusesFlushes;
    volatile String rowAtClose;
    volatile String rowAtOpen;
  }

  private static final Map<TableName, Notes> NOTES = new ConcurrentHashMap<>();

  /** Called by HBase. */
  public LoggedOnly() {}

  static Notes notes(TableName table) {
    return NOTES.computeIfAbsent(table, name -> new Notes());
  }

  private static Notes notes(ObserverContext<RegionCoprocessorEnvironment> context) {
    return notes(context.getEnvironment().getRegionInfo().getTable());
  }

  @Override
  public Optional<RegionObserver> getRegionObserver() {
    return Optional.of(this);
  }

  @Override
  public void preBatchMutate(
      ObserverContext<RegionCoprocessorEnvironment> context,
      MiniBatchOperationInProgress<Mutation> mutations) {
    for (int i = 0; i < mutations.size(); i++) {
      Mutation mutation = mutations.getOperation(i);
      if (mutation.getAttribute(IN_LOG_ONLY) != null) {
        WALEdit edit = new WALEdit();
        mutation.getFamilyCellMap().remove(MARKS).forEach(edit::add);
        mutations.setWalEdit(i, edit);
      }
    }
  }

  @Override
  public void postBatchMutate(
      ObserverContext<RegionCoprocessorEnvironment> context,
      MiniBatchOperationInProgress<Mutation> mutations) {
    for (int i = 0; i < mutations.size(); i++) {
      Mutation mutation = mutations.getOperation(i);
      for (List<Cell> cells : mutation.getFamilyCellMap().values()) {
        long sequence = ((ExtendedCell) cells.get(0)).getSequenceId();
        notes(context).sequences.put(Bytes.toString(mutation.getRow()), sequence);
      }
    }
  }

  @Override
  public void preFlush(
      ObserverContext<RegionCoprocessorEnvironment> context, FlushLifeCycleTracker tracker)
      throws IOException {
    if (notes(context).refusesFlushes) {
      throw new IOException("no flush before the crash");
    }
    notes(context).events.add("flush");
  }

  @Override
  public InternalScanner preFlush(
      ObserverContext<RegionCoprocessorEnvironment> context,
      Store store,
      InternalScanner scanner,
      FlushLifeCycleTracker tracker)
      throws IOException {
    String family = store.getColumnFamilyName();
    String seen = family.equals("d") ? " " + marks(context.getEnvironment()) : "";
    notes(context).events.add("writes " + family + seen);
    return scanner;
  }

  /** What the store of MARKS has, memory and files, also of a region that is not open yet. */
  private static List<String> marks(RegionCoprocessorEnvironment environment) throws IOException {
    List<String> found = new ArrayList<>();
    HRegion region = (HRegion) environment.getRegion();
    try (KeyValueScanner scanner =
        region.getStore(MARKS).getScanner(new Scan(), null, Long.MAX_VALUE)) {
      List<Cell> cells = new ArrayList<>();
      boolean more = true;
      while (more) {
        more = ((StoreScanner) scanner).next(cells);
        cells.forEach(cell -> found.add(text(cell)));
        cells.clear();
      }
    }
    return found;
  }

  /** Row and sequence number. */
  static String text(Cell cell) {
    return Bytes.toString(CellUtil.cloneRow(cell)) + "#" + ((ExtendedCell) cell).getSequenceId();
  }

  @Override
  public void postFlush(
      ObserverContext<RegionCoprocessorEnvironment> context,
      Store store,
      StoreFile file,
      FlushLifeCycleTracker tracker) {
    notes(context).events.add("wrote " + store.getColumnFamilyName());
  }

  @Override
  public void postOpen(ObserverContext<RegionCoprocessorEnvironment> context) {
    putAt(context, notes(context).rowAtOpen);
    notes(context).events.add("open");
  }

  @Override
  public void preClose(ObserverContext<RegionCoprocessorEnvironment> context, boolean abort) {
    notes(context).events.add("closing");
    putAt(context, notes(context).rowAtClose);
  }

  private static void putAt(ObserverContext<RegionCoprocessorEnvironment> context, String row) {
    if (row != null) {
      try {
        context.getEnvironment().getRegion().put(new Put(Bytes.toBytes(row)).addColumn(DATA, Q, Q));
      } catch (IOException e) {
        notes(context).events.add(e.toString());
      }
    }
  }
}
