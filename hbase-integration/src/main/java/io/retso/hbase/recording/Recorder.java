package io.retso.hbase.recording;

import io.retso.text.ErrorText;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes what transactions did to a file, a line of JSON each. It never makes the application wait
 * or fail: lines that find the queue full are dropped, and counted in the next one; when the file
 * is full, or cannot be written, recording ends, which is logged once. Thread-safe.
 */
public final class Recorder implements Closeable {
  /** So many transactions of each name are recorded, and then every {@link #LATER_EACH}th. */
  public static final int FIRST = 1000;

  /** See {@link #FIRST}. */
  public static final int LATER_EACH = 100;

  /** Names that are recorded; others are not. */
  public static final int NAMES_MAX = 1000;

  /** Lines that wait for the disk. */
  public static final int QUEUE_MAX = 256;

  /** Bytes of the file. */
  public static final long BYTES_MAX = 64L << 20;

  private static final Logger LOG = LoggerFactory.getLogger(Recorder.class);
  private static final long CLOSE_MILLIS = 2000;
  private static final String LAST = "";

  private final Path file;
  private final long bytesMax;
  private final FileChannel channel;
  private final long run = System.currentTimeMillis();
  private final BlockingQueue<String> queue = new LinkedBlockingQueue<>(QUEUE_MAX);
  private final ConcurrentMap<String, AtomicLong> counts = new ConcurrentHashMap<>();
  private final AtomicLong dropped = new AtomicLong();
  private final Thread writer;
  private volatile boolean isOver;
  private long size;

  private Recorder(Path file, long bytesMax, FileChannel channel) throws IOException {
    this.file = file;
    this.bytesMax = bytesMax;
    this.channel = channel;
    this.size = channel.size();
    this.writer = new Thread(this::writeAll, "retso-recorder");
    writer.setDaemon(true);
  }

  /**
   * A recorder that adds to a file, which only its owner may read.
   *
   * @return null if the file cannot be opened, which is logged
   */
  public static Recorder open(Path file) {
    return open(file, BYTES_MAX);
  }

  static Recorder open(Path file, long bytesMax) {
    try {
      Recorder recorder = new Recorder(file, bytesMax, channel(file));
      recorder.writer.start();
      LOG.info("what transactions do is recorded in {}, keys included", file);
      return recorder;
    } catch (IOException | RuntimeException e) {
      LOG.warn("nothing is recorded, as {} cannot be opened: {}", file, ErrorText.of(e));
      return null;
    }
  }

  private static FileChannel channel(Path file) throws IOException {
    Set<StandardOpenOption> append = Set.of(StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    if (!file.getFileSystem().supportedFileAttributeViews().contains("posix")) {
      return FileChannel.open(file, append);
    }
    Set<PosixFilePermission> owner = PosixFilePermissions.fromString("rw-------");
    FileAttribute<?> mode = PosixFilePermissions.asFileAttribute(owner);
    if (Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
      Files.setPosixFilePermissions(file, owner);
    }
    return FileChannel.open(file, append, mode);
  }

  /**
   * A transaction begins.
   *
   * @return null if it is not recorded
   */
  public TransactionRecord begin(String name, String isolation, boolean isReadOnly) {
    if (isOver) {
      return null;
    }
    AtomicLong count = counts.get(name);
    if (count == null) {
      if (counts.size() >= NAMES_MAX) {
        return null;
      }
      count = counts.computeIfAbsent(name, key -> new AtomicLong());
    }
    long number = count.incrementAndGet();
    if (number > FIRST && number % LATER_EACH != 0) {
      return null;
    }
    StringBuilder head = new StringBuilder("{\"program\":");
    Json.quoted(head, name).append(",\"run\":").append(run).append(",\"number\":").append(number);
    head.append(",\"isolation\":\"").append(isolation);
    head.append("\",\"readOnly\":").append(isReadOnly);
    return new TransactionRecord(this, head.toString());
  }

  /** Takes a line, if there is room. */
  void write(String line) {
    if (isOver) {
      return;
    }
    long lost = dropped.get();
    String whole =
        lost == 0 ? line : line.substring(0, line.length() - 2) + ",\"dropped\":" + lost + "}\n";
    if (!queue.offer(whole)) {
      dropped.incrementAndGet();
    }
  }

  /** Lines that found no room. */
  long dropped() {
    return dropped.get();
  }

  private void writeAll() {
    try (channel) {
      for (String line = queue.take(); !line.isEmpty(); line = queue.take()) {
        ByteBuffer bytes = ByteBuffer.wrap(line.getBytes(StandardCharsets.UTF_8));
        if (size + bytes.remaining() > bytesMax) {
          over("it has " + size + " bytes of " + bytesMax);
          return;
        }
        size += bytes.remaining();
        while (bytes.hasRemaining()) {
          channel.write(bytes);
        }
      }
    } catch (IOException e) {
      over(ErrorText.of(e));
    } catch (InterruptedException e) {
      over("its thread was interrupted");
    }
  }

  private void over(String reason) {
    isOver = true;
    queue.clear();
    LOG.warn("recording to {} has ended, and transactions go on: {}", file, reason);
  }

  /** Writes what waits: 2 s for room in the queue at most, and 2 s for the disk. */
  @Override
  public void close() {
    boolean ended = isOver;
    isOver = true;
    try {
      if (!ended && queue.offer(LAST, CLOSE_MILLIS, TimeUnit.MILLISECONDS)) {
        writer.join(CLOSE_MILLIS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
