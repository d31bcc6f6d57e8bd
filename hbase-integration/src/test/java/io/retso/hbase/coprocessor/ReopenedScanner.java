package io.retso.hbase.coprocessor;

import java.io.IOException;
import java.util.List;
import java.util.function.IntSupplier;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.regionserver.Region;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.apache.hadoop.hbase.regionserver.ScannerContext;
import org.apache.hadoop.hbase.regionserver.Shipper;

/**
 * A scanner that is opened anew, behind the last row that it returned, if the region was flushed
 * since it was opened. Not thread-safe.
 */
final class ReopenedScanner implements RegionScanner, Shipper {
  private final Region region;
  private final Scan scan;
  private final IntSupplier flushes;
  private RegionScanner source;
  private int flushesBefore;
  private byte[] lastRow;

  ReopenedScanner(Region region, Scan scan, RegionScanner source, IntSupplier flushes) {
    this.region = region;
    this.scan = scan;
    this.source = source;
    this.flushes = flushes;
    this.flushesBefore = flushes.getAsInt();
  }

  @Override
  public boolean nextRaw(List<Cell> result, ScannerContext context) throws IOException {
    int now = flushes.getAsInt();
    if (now != flushesBefore) {
      flushesBefore = now;
      Scan rest = new Scan(scan);
      if (lastRow != null) {
        rest.withStartRow(lastRow, false);
      }
      source.close();
      source = region.getScanner(rest);
    }
    boolean more = source.nextRaw(result, context);
    if (!result.isEmpty()) {
      lastRow = CellUtil.cloneRow(result.get(0));
    }
    return more;
  }

  @Override
  public boolean nextRaw(List<Cell> result) throws IOException {
    throw new UnsupportedOperationException("HBase calls the other one");
  }

  @Override
  public boolean next(List<Cell> result, ScannerContext context) throws IOException {
    return nextRaw(result, context);
  }

  @Override
  public RegionInfo getRegionInfo() {
    return source.getRegionInfo();
  }

  @Override
  public boolean isFilterDone() throws IOException {
    return source.isFilterDone();
  }

  @Override
  public boolean reseek(byte[] row) throws IOException {
    return source.reseek(row);
  }

  @Override
  public long getMaxResultSize() {
    return source.getMaxResultSize();
  }

  @Override
  public long getMvccReadPoint() {
    return source.getMvccReadPoint();
  }

  @Override
  public int getBatch() {
    return source.getBatch();
  }

  @Override
  public void shipped() throws IOException {
    ((Shipper) source).shipped();
  }

  @Override
  public void close() throws IOException {
    source.close();
  }
}
