package io.retso.hbase.coprocessor.read;

import java.io.IOException;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.apache.hadoop.hbase.regionserver.ScannerContext;

/**
 * A client's scanner that sees whether a flush has moved cells; {@link
 * io.retso.hbase.coprocessor.region.RegionOutcomes} says how. Not thread-safe, as scanners are not.
 */
abstract class WatchedScanner implements RegionScanner {
  /** HBase's own. */
  RegionScanner source;

  WatchedScanner(RegionScanner source) {
    this.source = source;
  }

  /** The next row from a scanner, by {@code nextRaw} or {@code next}. */
  interface Read {
    boolean from(RegionScanner source) throws IOException;
  }

  /**
   * Reads the next row.
   *
   * @param result empty; {@code read} fills it
   * @param request another one for each request of the client
   * @return whether there may be more
   */
  abstract boolean read(Read read, List<Cell> result, ScannerContext request) throws IOException;

  @Override
  public boolean nextRaw(List<Cell> result, ScannerContext context) throws IOException {
    assert result.isEmpty() : result;
    return read(scanner -> scanner.nextRaw(result, context), result, context);
  }

  @Override
  public boolean next(List<Cell> result, ScannerContext context) throws IOException {
    return read(scanner -> scanner.next(result, context), result, context);
  }

  @Override
  public boolean nextRaw(List<Cell> result) throws IOException {
    return nextRaw(result, ScannerContext.newBuilder().build());
  }

  @Override
  public void close() throws IOException {
    source.close();
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
  public String getOperationId() {
    return source.getOperationId();
  }
}
