package io.retso.hbase.coprocessor.read;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.regionserver.Region;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.apache.hadoop.hbase.regionserver.ScannerContext;
import org.apache.hadoop.hbase.regionserver.Shipper;

/**
 * The scanner of a snapshot read: it goes on in a new one when a flush has moved cells, and so
 * misses nothing. {@link SnapshotFilter} looks when a row begins and when it is complete, and lets
 * no row pass otherwise; whether something was missed is looked at here if none comes.
 *
 * <p>Results refer to the memory of the scanner that they came from until they have been sent. So
 * one that was replaced is closed, and the one in its place gives memory back, when the next
 * request has come: a client sends it when it has the answer to the last. (HBase's own call for
 * that, {@link Shipper}, goes to the first scanner only.)
 */
final class SnapshotScanner extends WatchedScanner {
  private final Region region;
  private final Scan scan;
  private final SnapshotFilter filter;
  private final List<RegionScanner> replaced = new ArrayList<>();
  private ScannerContext lastRequest;

  /**
   * A scanner.
   *
   * @param filter that of {@code scan}
   * @param source of the scan
   */
  SnapshotScanner(Region region, Scan scan, SnapshotFilter filter, RegionScanner source) {
    super(source);
    this.region = region;
    this.scan = scan;
    this.filter = filter;
  }

  @Override
  boolean read(Read read, List<Cell> result, ScannerContext request) throws IOException {
    if (request != lastRequest) {
      lastRequest = request;
      shipped();
    }
    boolean isMore = read.from(source);
    while (result.isEmpty() && filter.isOutdated()) {
      reopen();
      isMore = read.from(source);
    }
    return isMore; // HBase looked whether there are more before the filter looked at this row
  }

  private void reopen() throws IOException {
    Scan rest = new Scan(scan); // the filter goes on in the state that it has
    byte[] place = filter.place();
    if (place != null) {
      rest.withStartRow(place, !filter.isBehind());
    }
    filter.begin();
    RegionScanner next = region.getScanner(rest);
    replaced.add(source);
    source = next;
  }

  private void shipped() throws IOException {
    if (!replaced.isEmpty()) {
      closeReplaced();
    }
    if (source instanceof Shipper shipper) {
      shipper.shipped();
    }
  }

  private void closeReplaced() throws IOException {
    for (RegionScanner old : replaced) {
      old.close();
    }
    replaced.clear();
  }

  /** The filter ends a scanner that is outdated, too. */
  @Override
  public boolean isFilterDone() throws IOException {
    return filter.isDone();
  }

  @Override
  public void close() throws IOException {
    closeReplaced();
    super.close();
  }
}
