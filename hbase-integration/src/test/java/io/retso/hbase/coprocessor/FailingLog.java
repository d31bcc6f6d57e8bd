package io.retso.hbase.coprocessor;

import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.wal.AbstractFSWAL;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.wal.WAL;
import org.apache.hadoop.hbase.wal.WALProvider;

/**
 * The write-ahead log of a region's server, that fails once: its writer does not append the next
 * edit of a row, or does not force it to disk. What HBase makes of it is HBase's own: it rolls the
 * log, repeats what it has kept, or stops the server.
 */
final class FailingLog {
  /** Where it fails. */
  enum At {
    APPEND,
    SYNC
  }

  private final byte[] region;
  private final byte[] row;
  private final At at;
  private volatile boolean isAppended;
  private volatile boolean hasFailed;

  private FailingLog(byte[] region, String row, At at) {
    this.region = region;
    this.row = Bytes.toBytes(row);
    this.at = at;
  }

  /** The next edit of the row fails. */
  static FailingLog of(HRegion region, String row, At at) throws ReflectiveOperationException {
    FailingLog log = new FailingLog(region.getRegionInfo().getEncodedNameAsBytes(), row, at);
    Field field = AbstractFSWAL.class.getDeclaredField("writer");
    field.setAccessible(true);
    Object writer = field.get(region.getWAL());
    Class<?> type =
        writer instanceof WALProvider.Writer
            ? WALProvider.Writer.class
            : WALProvider.AsyncWriter.class;
    field.set(
        region.getWAL(),
        Proxy.newProxyInstance(
            FailingLog.class.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> log.call(writer, method, arguments)));
    return log;
  }

  /** Whether that was so. */
  boolean hasFailed() {
    return hasFailed;
  }

  private Object call(Object writer, Method method, Object[] arguments) throws Throwable {
    if (method.getName().equals("append") && isOfRow((WAL.Entry) arguments[0])) {
      isAppended = true;
      failOnce(At.APPEND);
    } else if (method.getName().equals("sync") && isAppended && at == At.SYNC && !hasFailed) {
      if (writer instanceof WALProvider.AsyncWriter) {
        hasFailed = true;
        return CompletableFuture.failedFuture(new IOException("a test wants it"));
      }
      failOnce(At.SYNC);
    }
    try {
      return method.invoke(writer, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private void failOnce(At here) throws IOException {
    if (at == here && !hasFailed) {
      hasFailed = true;
      throw new IOException("a test wants it");
    }
  }

  private boolean isOfRow(WAL.Entry entry) {
    return Bytes.equals(entry.getKey().getEncodedRegionName(), region)
        && entry.getEdit().getCells().stream().anyMatch(this::isOfRow);
  }

  private boolean isOfRow(Cell cell) {
    return CellUtil.matchingRows(cell, row);
  }
}
