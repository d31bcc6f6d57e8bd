package io.retso.hbase.coprocessor.replay;

import static io.retso.hbase.coprocessor.replay.LoggedOnly.DATA;
import static io.retso.hbase.coprocessor.replay.LoggedOnly.MARKS;
import static io.retso.hbase.coprocessor.replay.LoggedOnly.Q;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.ExtendedCell;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.KeyValueUtil;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessor;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.RegionObserver;
import org.apache.hadoop.hbase.regionserver.FlushLifeCycleTracker;
import org.apache.hadoop.hbase.regionserver.InternalScanner;
import org.apache.hadoop.hbase.regionserver.MiniBatchOperationInProgress;
import org.apache.hadoop.hbase.regionserver.ScannerContext;
import org.apache.hadoop.hbase.regionserver.Store;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.wal.WALEdit;

/**
 * What the layouts of decisions 24 and 25 would have HBase write, and no more: nothing is adopted
 * or read here. Mutations say by an attribute what they are. For {@link LayoutsTest}; thread-safe.
 */
public final class Layouts implements RegionCoprocessor, RegionObserver {
  /** A mark is in the log only. */
  static final byte WRITE = 'w';

  /** A row is moved, its mark a cell. */
  static final byte MOVE = 'm';

  /** A row is moved, its mark in the log only. */
  static final byte MOVE_MAPPED = 'b';

  /** A list of adoptions. */
  static final byte ADOPT = 'd';

  static final String ATTRIBUTE = "layout";
  static final byte[] VALUE = new byte[100];

  /** Rows and transactions with a mark; adopted transactions. */
  private final Map<String, Long> marks = new ConcurrentHashMap<>();

  private final Map<Long, Long> adopted = new ConcurrentHashMap<>();

  /** Called by HBase. */
  public Layouts() {}

  @Override
  public Optional<RegionObserver> getRegionObserver() {
    return Optional.of(this);
  }

  static byte[] attribute(byte what, long start) {
    return Bytes.add(new byte[] {what}, Bytes.toBytes(start));
  }

  @Override
  public void preBatchMutate(
      ObserverContext<RegionCoprocessorEnvironment> context,
      MiniBatchOperationInProgress<Mutation> mutations) {
    for (int i = 0; i < mutations.size(); i++) {
      Mutation mutation = mutations.getOperation(i);
      byte[] attribute = mutation.getAttribute(ATTRIBUTE);
      if (attribute != null) {
        long start = Bytes.toLong(attribute, 1);
        Map<byte[], List<Cell>> cells = mutation.getFamilyCellMap();
        switch (attribute[0]) {
          case WRITE -> {
            marks.put(Bytes.toString(mutation.getRow()) + start, start);
            logOnly(mutations, i, cells.remove(MARKS));
          }
          case MOVE -> {
            move(mutation, start);
            cells.put(MARKS, List.of(delete(mutation, MARKS, Bytes.toBytes(start), start)));
          }
          case MOVE_MAPPED -> {
            move(mutation, start);
            cells.remove(MARKS);
            marks.remove(Bytes.toString(mutation.getRow()) + start);
            logOnly(mutations, i, List.of(delete(mutation, MARKS, Bytes.toBytes(start), start)));
          }
          case ADOPT -> adopt(cells.get(MARKS).get(0));
          default -> throw new IllegalArgumentException();
        }
      }
    }
  }

  private static void logOnly(
      MiniBatchOperationInProgress<Mutation> mutations, int i, List<Cell> cells) {
    WALEdit edit = new WALEdit();
    cells.forEach(edit::add);
    mutations.setWalEdit(i, edit);
  }

  private static void move(Mutation mutation, long start) {
    mutation
        .getFamilyCellMap()
        .put(
            DATA,
            List.of(
                new KeyValue(mutation.getRow(), DATA, Q, start + 17, VALUE),
                delete(mutation, DATA, Q, start)));
  }

  private static KeyValue delete(Mutation mutation, byte[] family, byte[] qualifier, long start) {
    return new KeyValue(mutation.getRow(), family, qualifier, start, KeyValue.Type.Delete);
  }

  private void adopt(Cell list) {
    byte[] value = list.getValueArray();
    int end = list.getValueOffset() + list.getValueLength();
    for (int at = list.getValueOffset(); at < end; at += 16) {
      adopted.put(Bytes.toLong(value, at), Bytes.toLong(value, at + 8));
    }
  }

  @Override
  public InternalScanner preFlush(
      ObserverContext<RegionCoprocessorEnvironment> context,
      Store store,
      InternalScanner scanner,
      FlushLifeCycleTracker tracker) {
    return adopted.isEmpty() ? scanner : new Adopting(scanner, adopted);
  }

  @Override
  public void postFlush(
      ObserverContext<RegionCoprocessorEnvironment> context, FlushLifeCycleTracker tracker) {
    adopted.clear();
    marks.clear();
  }

  /** Moves what is adopted; the lists themselves are not needed any more. */
  private record Adopting(InternalScanner source, Map<Long, Long> adopted)
      implements InternalScanner {
    @Override
    public boolean next(List<Cell> result, ScannerContext context) throws IOException {
      boolean more = source.next(result, context);
      for (int i = 0; i < result.size(); i++) {
        Cell cell = result.get(i);
        Long commit = adopted.get(cell.getTimestamp());
        if (commit != null) {
          KeyValue copy = KeyValueUtil.copyToNewKeyValue(cell);
          copy.setSequenceId(((ExtendedCell) cell).getSequenceId());
          copy.setTimestamp(commit + 1);
          result.set(i, copy);
        }
      }
      result.removeIf(cell -> cell.getFamilyLength() == MARKS.length);
      return more;
    }

    @Override
    public void close() throws IOException {
      source.close();
    }
  }
}
