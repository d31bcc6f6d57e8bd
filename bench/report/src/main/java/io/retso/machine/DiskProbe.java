package io.retso.machine;

import io.retso.report.DiskFigures;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;

/**
 * Measures how long bytes take to the disk, in the way of a journal: consecutive writes into a file
 * of fixed length whose blocks are not written yet, each followed by fdatasync.
 */
public final class DiskProbe {
  private static final long FILE_BYTES = 256L << 20;
  private static final int WRITES_MIN = 10;

  private DiskProbe() {}

  /**
   * Measures in a directory.
   *
   * @param bytes of a write
   * @param writes at most
   * @param seconds after which it ends at the latest (but not before ten writes)
   */
  public static DiskFigures measure(Path directory, int bytes, int writes, double seconds)
      throws IOException {
    Path file = Files.createTempFile(directory, "disk", ".probe");
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.allocate(1), FILE_BYTES - 1);
      channel.force(true);
      int most = (int) Math.min(writes, FILE_BYTES / bytes);
      ByteBuffer block = ByteBuffer.allocateDirect(bytes);
      double[] millis = new double[most];
      long deadline = System.nanoTime() + (long) (seconds * 1e9);
      int count = 0;
      while (count < most && (count < WRITES_MIN || System.nanoTime() < deadline)) {
        block.clear();
        block.putLong(0, System.nanoTime());
        long begin = System.nanoTime();
        channel.write(block, (long) count * bytes);
        channel.force(false);
        millis[count++] = (System.nanoTime() - begin) / 1e6;
      }
      double[] sorted = Arrays.copyOf(millis, count);
      Arrays.sort(sorted);
      return new DiskFigures(
          bytes, count, sorted[count / 2], sorted[Math.min(count - 1, count * 99 / 100)]);
    } finally {
      Files.deleteIfExists(file);
    }
  }
}
