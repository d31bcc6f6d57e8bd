package io.retso.server.observe;

import io.retso.security.Audit;
import io.retso.text.ErrorText;
import io.retso.text.Visible;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file of what happened about security: a line of JSON for each event. It is its owner's alone;
 * at {@value #FILE_BYTES_MAX} bytes it gets a number, and the next one begins, {@value #FILES_MAX}
 * in all. A thread of its own writes; what it has no room or disk for is left out and counted, and
 * the next line says how many were. Thread-safe.
 *
 * <p>Of one principal, or one address if there is none, and one kind {@value #PER_SECOND} a second
 * are written; the next line of them says how many more there were.
 */
public final class AuditFile implements Audit, AutoCloseable {
  static final int QUEUE_MAX = 10_000;
  static final int PER_SECOND = 10;

  /** Principals and addresses that are told apart at a time, each with a kind. */
  static final int SOURCES_MAX = 1_024;

  static final long FILE_BYTES_MAX = 50 << 20;
  static final int FILES_MAX = 10;

  private static final Logger LOG = LoggerFactory.getLogger(AuditFile.class);
  private static final int CHARS_MAX = 512;
  private static final long COMPLAINT_NANOS = TimeUnit.MINUTES.toNanos(1);

  /** How often something came in a second, and how often more than is written. */
  private static final class Rate {
    private long second;
    private int count;
    private long more;
  }

  private final Path file;
  private final long fileBytesMax;
  private final LongSupplier millis;
  private final BlockingQueue<Map<String, Object>> queue = new ArrayBlockingQueue<>(QUEUE_MAX);
  private final AtomicLong dropped = new AtomicLong();
  private final Thread thread = new Thread(this::write, "audit");

  /** Guarded by itself. */
  private final Map<String, Rate> rates =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Rate> eldest) {
          return size() > SOURCES_MAX;
        }
      };

  private volatile boolean closed;
  private FileChannel channel;
  private long toldDropped;
  private long complainedNanos = System.nanoTime() - COMPLAINT_NANOS;

  private AuditFile(Path file, long fileBytesMax, LongSupplier millis) {
    this.file = file;
    this.fileBytesMax = fileBytesMax;
    this.millis = millis;
    thread.setDaemon(true);
  }

  /**
   * Goes on with a file, or begins it.
   *
   * @param millis since 1970
   */
  public static AuditFile open(Path file, LongSupplier millis) throws IOException {
    return open(file, FILE_BYTES_MAX, millis);
  }

  static AuditFile open(Path file, long fileBytesMax, LongSupplier millis) throws IOException {
    AuditFile audit = new AuditFile(file, fileBytesMax, millis);
    audit.openChannel();
    audit.thread.start();
    return audit;
  }

  private void openChannel() throws IOException {
    Set<StandardOpenOption> options =
        EnumSet.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.APPEND);
    if (!file.getFileSystem().supportedFileAttributeViews().contains("posix")) {
      channel = FileChannel.open(file, options);
      return;
    }
    Set<PosixFilePermission> owners = PosixFilePermissions.fromString("rw-------");
    channel = FileChannel.open(file, options, PosixFilePermissions.asFileAttribute(owners));
    Files.setPosixFilePermissions(file, owners); // also if it was there
  }

  @Override
  public void record(Event event) {
    long now = millis.getAsLong();
    Map<String, Object> line = new LinkedHashMap<>();
    line.put("time", Instant.ofEpochMilli(now).toString());
    line.put("event", event.kind().name().toLowerCase(Locale.ROOT));
    event.fields().forEach((name, value) -> line.put(name, clean(value)));
    long more = more(event, now);
    if (more >= 0) {
      if (more > 0) {
        line.put("more", more);
      }
      if (!queue.offer(line)) {
        dropped.incrementAndGet();
      }
    }
  }

  private static Object clean(Object value) {
    if (value instanceof Number || value instanceof Boolean) {
      return value;
    }
    String text = value.toString();
    return Visible.of(text.length() > CHARS_MAX ? text.substring(0, CHARS_MAX) : text);
  }

  /** How many were left out since the last one that is written; -1 if this one is left out. */
  private long more(Event event, long now) {
    Object who =
        event.fields().getOrDefault("principal", event.fields().getOrDefault("address", ""));
    synchronized (rates) {
      Rate rate = rates.computeIfAbsent(event.kind() + " " + who, any -> new Rate());
      long second = now / 1_000;
      if (rate.second != second) {
        rate.second = second;
        rate.count = 0;
      }
      if (++rate.count > PER_SECOND) {
        rate.more++;
        return -1;
      }
      long more = rate.more;
      rate.more = 0;
      return more;
    }
  }

  /** How many events are in no file, as there was no room or no disk for them. */
  public long dropped() {
    return dropped.get();
  }

  /** How many are told apart now. */
  int sources() {
    synchronized (rates) {
      return rates.size();
    }
  }

  private void write() {
    try {
      while (!closed || !queue.isEmpty()) {
        Map<String, Object> line = queue.poll(100, TimeUnit.MILLISECONDS);
        if (line != null) {
          write(line);
        }
      }
      channel.close();
    } catch (InterruptedException | IOException e) {
      LOG.warn("the audit file {} did not close: {}", file, ErrorText.of(e));
    }
  }

  private void write(Map<String, Object> line) {
    long lost = dropped.get();
    if (lost > toldDropped) {
      line.put("dropped", lost - toldDropped);
    }
    try {
      if (!channel.isOpen()) {
        openChannel();
      }
      ByteBuffer bytes = ByteBuffer.wrap(Json.line(line).getBytes(StandardCharsets.UTF_8));
      if (channel.size() > 0 && channel.size() + bytes.remaining() > fileBytesMax) {
        roll();
      }
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
      toldDropped = lost;
    } catch (IOException e) {
      dropped.incrementAndGet();
      complain(e);
    }
  }

  private void roll() throws IOException {
    channel.close();
    for (int i = FILES_MAX - 2; i >= 0; i--) {
      Path from = i == 0 ? file : numbered(i);
      if (Files.exists(from)) {
        Files.move(from, numbered(i + 1), StandardCopyOption.REPLACE_EXISTING);
      }
    }
    openChannel();
  }

  private Path numbered(int i) {
    return file.resolveSibling(file.getFileName() + "." + i);
  }

  private void complain(IOException e) {
    if (System.nanoTime() - complainedNanos >= COMPLAINT_NANOS) {
      complainedNanos = System.nanoTime();
      LOG.warn("audit events are lost: cannot write {}: {}", file, ErrorText.of(e));
    }
  }

  /** Writes what is waiting, and ends. */
  @Override
  public void close() {
    closed = true;
    try {
      thread.join(TimeUnit.SECONDS.toMillis(5));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
