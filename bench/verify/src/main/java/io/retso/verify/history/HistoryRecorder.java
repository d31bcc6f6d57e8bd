package io.retso.verify.history;

import io.retso.text.ErrorText;
import io.retso.verify.history.Event.Type;
import io.retso.verify.history.Step.Append;
import io.retso.verify.history.Step.Read;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Writes a history while it happens, in the form that Elle reads (see docs/history-format.md).
 *
 * <p>The order of the calls becomes the real-time order of the history. So call {@link #invoke}
 * before the transaction begins, and one of {@link #ok}, {@link #fail}, {@link #info} after it
 * ended:
 *
 * <pre>{@code
 * try (HistoryRecorder recorder = HistoryRecorder.create(file)) {
 *   recorder.invoke(process, List.of(Step.append(1, 17), Step.read(2)));
 *   ... begin, run, commit ...
 *   recorder.ok(process, List.of(Step.append(1, 17), Step.read(2, values)), timestamps);
 * }
 * }</pre>
 *
 * <p>Safe for many threads; a process is used by one at a time. A call formats its line in its own
 * thread and holds a lock while it copies it. Memory: 64 KiB or one line, and the steps of what is
 * under way. The file gets whole lines. Whatever kills the process cuts the history at one point of
 * its order, so what is lost happened after everything that is kept, and the rest is a history
 * still.
 *
 * <p>To keep what happened if the process is killed, {@link #flush} after each invocation: then
 * every transaction that began is in the file, and those whose completion is missing count as
 * unknown.
 *
 * <p>If the file cannot be written, that call and all later ones throw {@link
 * UncheckedIOException}: a history with holes would accuse the innocent.
 */
public final class HistoryRecorder implements Closeable {
  private static final int BUFFER_BYTES = 1 << 16;

  private final OutputStream file;
  private final LongSupplier nanoClock;
  private final long origin;
  private final Map<Long, List<Step>> underWay = new HashMap<>();
  private final ByteArrayOutputStream buffer = new ByteArrayOutputStream(BUFFER_BYTES);
  private long index;
  private IOException broken;
  private boolean closed;

  /**
   * Writes to a stream.
   *
   * @param file closed with the recorder; gets whole lines
   * @param nanoClock for {@code :time}, in nanoseconds
   */
  public HistoryRecorder(OutputStream file, LongSupplier nanoClock) {
    this(file, nanoClock, nanoClock.getAsLong());
  }

  private HistoryRecorder(OutputStream file, LongSupplier nanoClock, long origin) {
    this.file = file;
    this.nanoClock = nanoClock;
    this.origin = origin;
  }

  /** Writes to a file, which is replaced if it exists. */
  public static HistoryRecorder create(Path file) throws IOException {
    return create(file, System.nanoTime());
  }

  /**
   * Writes to a file, which is replaced if it exists, as one of several that will be put together.
   *
   * @param origin the {@link System#nanoTime} that {@code :time} counts from
   */
  public static HistoryRecorder create(Path file, long origin) throws IOException {
    return new HistoryRecorder(Files.newOutputStream(file), System::nanoTime, origin);
  }

  /**
   * A transaction is about to begin.
   *
   * @param planned every append with its value, every read without
   * @throws IllegalStateException if the process has one under way
   */
  public void invoke(long process, List<Step> planned) {
    invoke(process, Isolation.SNAPSHOT, planned);
  }

  /**
   * A transaction is about to begin.
   *
   * @param isolation what it is promised
   * @param planned every append with its value, every read without
   * @throws IllegalStateException if the process has one under way
   */
  public void invoke(long process, Isolation isolation, List<Step> planned) {
    List<Step> steps = List.copyOf(planned);
    byte[] line = rest(Type.INVOKE, process, isolation, steps, TimestampPair.NONE, null);
    synchronized (this) {
      if (underWay.putIfAbsent(process, steps) != null) {
        throw new IllegalStateException("process " + process + " has a transaction under way");
      }
      write(line);
    }
  }

  /**
   * It committed.
   *
   * @param done the planned steps, every read with its values
   */
  public void ok(long process, List<Step> done, TimestampPair timestamps) {
    for (Step step : done) {
      if (step instanceof Read read && read.values() == null) {
        throw new IllegalArgumentException("a committed transaction knows what it read: " + step);
      }
    }
    complete(process, rest(Type.OK, process, Isolation.SNAPSHOT, done, timestamps, null));
  }

  /** It certainly did not commit and never will. */
  public void fail(long process, TimestampPair timestamps, String error) {
    List<Step> planned = planned(process);
    complete(process, rest(Type.FAIL, process, Isolation.SNAPSHOT, planned, timestamps, error));
  }

  /** It is not known whether it committed or will, and what it read is forgotten. */
  public void info(long process, TimestampPair timestamps, String error) {
    info(process, planned(process), timestamps, error);
  }

  /**
   * It is not known whether it committed or will.
   *
   * @param done the planned steps, reads with values where they are known: should another
   *     transaction see one of the appends, then these reads are checked as well
   */
  public void info(long process, List<Step> done, TimestampPair timestamps, String error) {
    complete(process, rest(Type.INFO, process, Isolation.SNAPSHOT, done, timestamps, error));
  }

  /** Something was done to the store from outside; for people, the checker skips it. */
  public void nemesis(String fault, String what) {
    StringBuilder text = new StringBuilder(128);
    text.append(":type :info, :process :nemesis, :f :").append(fault).append(", :value ");
    quote(text, what);
    byte[] line = text.append("}\n").toString().getBytes(StandardCharsets.UTF_8);
    synchronized (this) {
      write(line);
    }
  }

  private synchronized List<Step> planned(long process) {
    List<Step> planned = underWay.get(process);
    if (planned == null) {
      throw new IllegalStateException("process " + process + " has no transaction under way");
    }
    return planned;
  }

  private synchronized void complete(long process, byte[] line) {
    planned(process);
    underWay.remove(process);
    write(line);
  }

  /** Index and time are taken here, under the lock, so that the lines are in their order. */
  private void write(byte[] rest) {
    if (closed) {
      throw new IllegalStateException("the recorder is closed");
    }
    String head = "{:index " + index++ + ", :time " + (nanoClock.getAsLong() - origin) + ", ";
    if (buffer.size() + head.length() + rest.length > BUFFER_BYTES) {
      flush();
    }
    buffer.writeBytes(head.getBytes(StandardCharsets.US_ASCII));
    buffer.writeBytes(rest);
  }

  /** Hands everything to the operating system, where it survives the death of this process. */
  public synchronized void flush() {
    try {
      if (broken != null) {
        throw broken;
      }
      buffer.writeTo(file);
      buffer.reset();
      file.flush();
    } catch (IOException e) {
      broken = e;
      throw new UncheckedIOException(
          "the history cannot be written (" + ErrorText.of(e) + "): make room and run again", e);
    }
  }

  /** Writes what is left. Transactions under way stay without completion: unknown. */
  @Override
  public synchronized void close() throws IOException {
    if (!closed) {
      closed = true;
      try (file) {
        flush();
      }
    }
  }

  /** A line without its head; of the isolation, only one that must be said. */
  private static byte[] rest(
      Type type,
      long process,
      Isolation isolation,
      List<Step> steps,
      TimestampPair timestamps,
      String error) {
    StringBuilder text = new StringBuilder(128);
    text.append(":type :").append(type.name().toLowerCase(Locale.ROOT));
    text.append(", :process ").append(process).append(", :f :txn, :value [");
    for (int i = 0; i < steps.size(); i++) {
      append(text, i == 0 ? "[" : " [", steps.get(i));
    }
    text.append(']');
    if (isolation != Isolation.SNAPSHOT) {
      text.append(", :isolation :").append(isolation.label());
    }
    if (timestamps.hasStart()) {
      text.append(", :start-ts ").append(timestamps.start());
    }
    if (timestamps.hasCommit()) {
      text.append(", :commit-ts ").append(timestamps.commit());
    }
    if (error != null) {
      quote(text.append(", :error "), error);
    }
    return text.append("}\n").toString().getBytes(StandardCharsets.UTF_8);
  }

  private static void append(StringBuilder text, String opening, Step step) {
    text.append(opening);
    if (step instanceof Append append) {
      text.append(":append ").append(append.key()).append(' ').append(append.value());
    } else if (step instanceof Read read) {
      text.append(":r ").append(read.key()).append(' ');
      if (read.values() == null) {
        text.append("nil");
      } else {
        char before = '[';
        for (long value : read.values()) {
          text.append(before).append(value);
          before = ' ';
        }
        text.append(read.values().length == 0 ? "[]" : "]");
      }
    }
    text.append(']');
  }

  /** An EDN string; what would break the line or the terminal is escaped. */
  private static void quote(StringBuilder text, String value) {
    text.append('"');
    for (char c : value.toCharArray()) {
      switch (c) {
        case '"', '\\' -> text.append('\\').append(c);
        case '\n' -> text.append("\\n");
        case '\r' -> text.append("\\r");
        case '\t' -> text.append("\\t");
        default -> {
          if (c < ' ' || c >= 0x7f) {
            text.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
          } else {
            text.append(c);
          }
        }
      }
    }
    text.append('"');
  }
}
