package io.retso.hbase.coprocessor.purge;

import java.io.IOException;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.ExtendedCell;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.KeyValueUtil;
import org.apache.hadoop.hbase.regionserver.InternalScanner;
import org.apache.hadoop.hbase.regionserver.Shipper;

/** What a flush or compaction writes, made from what its source would. Not thread-safe. */
abstract class RewritingScanner implements InternalScanner, Shipper {
  final InternalScanner source;

  RewritingScanner(InternalScanner source) {
    this.source = source;
  }

  /** Of a cell of the region, which always has a sequence number. */
  static long sequence(Cell cell) {
    return ((ExtendedCell) cell).getSequenceId();
  }

  /** To be kept beyond a call of {@code next}: the source may give the cell's memory back then. */
  static Cell copy(Cell cell) {
    KeyValue copy = KeyValueUtil.copyToNewKeyValue(cell);
    copy.setSequenceId(sequence(cell));
    return copy;
  }

  @Override
  public void shipped() throws IOException {
    if (source instanceof Shipper shipper) {
      shipper.shipped();
    }
  }

  @Override
  public void close() throws IOException {
    source.close();
  }
}
