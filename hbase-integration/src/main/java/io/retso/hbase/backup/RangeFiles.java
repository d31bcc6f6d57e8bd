package io.retso.hbase.backup;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.function.LongConsumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.io.compress.Compression;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFileContextBuilder;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.StoreFileWriter;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.EnvironmentEdgeManager;
import org.apache.hbase.thirdparty.com.google.common.util.concurrent.RateLimiter;

/** Writes the rows of one range as files of HBase, one for each family that has cells. */
final class RangeFiles implements AutoCloseable {
  private static final int BUFFER_BYTES = 1 << 16;
  private static final int CELLS_AT_A_TIME = 100_000;
  private static final int BYTES_AT_A_TIME = 1 << 16;

  /** A file that is being written. */
  private static final class Open {
    private final StoreFileWriter writer;
    private final byte[] family;
    private final Path path;
    private long cells;

    Open(StoreFileWriter writer, byte[] family, Path path) {
      this.writer = writer;
      this.family = family;
      this.path = path;
    }
  }

  private final Configuration configuration;
  private final BackupDirectory directory;
  private final TableDescriptor descriptor;
  private final int table;
  private final int range;

  /** In the order of their numbers, which is that in which families came. */
  private final List<Open> open = new ArrayList<>();

  private long told;

  RangeFiles(
      Configuration configuration,
      BackupDirectory directory,
      TableDescriptor descriptor,
      int table,
      int range) {
    this.configuration = configuration;
    this.directory = directory;
    this.descriptor = descriptor;
    this.table = table;
    this.range = range;
  }

  /**
   * Writes all rows, which come in their order; the files have their names when it returns.
   *
   * @param rate a permit for each byte of the cells
   * @param read is told now and then how many cells were read since
   */
  List<Plan.File> write(ResultScanner rows, RateLimiter rate, LongConsumer read)
      throws IOException {
    Result row;
    long cells = 0;
    int bytes = 0;
    while ((row = rows.next()) != null) {
      if (cells >= CELLS_AT_A_TIME) {
        read.accept(cells);
        told += cells;
        cells = 0;
      }
      cells += row.size();
      Open file = null;
      for (Cell cell : row.rawCells()) {
        if (file == null || !CellUtil.matchingFamily(cell, file.family)) {
          file = of(cell);
        }
        file.writer.append(cell);
        file.cells++;
        bytes += cell.getSerializedSize();
      }
      if (bytes >= BYTES_AT_A_TIME) {
        rate.acquire(bytes);
        bytes = 0;
      }
    }
    List<Plan.File> written = new ArrayList<>();
    for (Open file : open) {
      written.add(finished(file));
    }
    open.clear();
    return written;
  }

  /** How many of its cells were told of while it was written. */
  long told() {
    return told;
  }

  private Open of(Cell cell) throws IOException {
    for (Open file : open) {
      if (CellUtil.matchingFamily(cell, file.family)) {
        return file;
      }
    }
    return open(CellUtil.cloneFamily(cell));
  }

  private Open open(byte[] family) throws IOException {
    ColumnFamilyDescriptor settings = descriptor.getColumnFamily(family);
    if (settings == null) {
      throw new BackupException(
          "table "
              + descriptor.getTableName()
              + " has family "
              + Bytes.toStringBinary(family)
              + " since the backup began: take another one, in another directory",
          null);
    }
    Path path = directory.data(table, range, open.size());
    StoreFileWriter writer =
        new StoreFileWriter.Builder(configuration, CacheConfig.DISABLED, directory.files())
            .withFilePath(BackupDirectory.unfinished(path))
            .withBloomType(settings.getBloomFilterType())
            .withFileContext(
                new HFileContextBuilder()
                    .withCompression(Compression.Algorithm.NONE)
                    .withDataBlockEncoding(settings.getDataBlockEncoding())
                    .withBlockSize(settings.getBlocksize())
                    .withHBaseCheckSum(true)
                    .withIncludesTags(false)
                    .withIncludesMvcc(false)
                    .withColumnFamily(family)
                    .withTableName(descriptor.getTableName().getName())
                    .build())
            .build();
    Open file = new Open(writer, family, path);
    open.add(file);
    return file;
  }

  /** The sum is that of what the file system gives back. */
  private Plan.File finished(Open file) throws IOException {
    file.writer.appendFileInfo(
        HStoreFile.BULKLOAD_TIME_KEY, Bytes.toBytes(EnvironmentEdgeManager.currentTime()));
    file.writer.appendTrackedTimestampsToMetadata();
    file.writer.close();
    Path unfinished = BackupDirectory.unfinished(file.path);
    FileSystem files = directory.files();
    String sum = copy(files, unfinished, OutputStream.nullOutputStream());
    long bytes = files.getFileStatus(unfinished).getLen();
    directory.rename(file.path);
    return new Plan.File(Plan.text(file.family), file.cells, bytes, sum);
  }

  /** Copies a file, and returns its SHA-256. */
  static String copy(FileSystem files, Path from, OutputStream to) throws IOException {
    MessageDigest digest;
    try {
      digest = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("each Java has it", e);
    }
    byte[] buffer = new byte[BUFFER_BYTES];
    try (InputStream in = new DigestInputStream(files.open(from), digest)) {
      int read;
      while ((read = in.read(buffer)) >= 0) {
        to.write(buffer, 0, read);
      }
    }
    return HexFormat.of().formatHex(digest.digest());
  }

  /** Closes what is open if the range was not finished. */
  @Override
  public void close() throws IOException {
    for (Open file : open) {
      file.writer.close();
    }
  }
}
