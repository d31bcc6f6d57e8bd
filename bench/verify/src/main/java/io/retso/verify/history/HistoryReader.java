package io.retso.verify.history;

import io.retso.text.ErrorText;
import io.retso.verify.history.EdnCursor.Unexpected;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Reads a history: EDN, one operation map a line, as {@link HistoryRecorder} and Jepsen write it.
 *
 * <p>What is needed of a map: {@code :type}, {@code :process}, {@code :value}; {@code :index} if it
 * is there must grow. Keys that are not known are skipped, and so are the lines of processes that
 * are not numbers, such as Jepsen's {@code :nemesis}.
 */
public final class HistoryReader {
  /**
   * A history and what became of its file's end.
   *
   * @param history what the file says
   * @param cutAtLine the number of the last line if it was cut in the middle, because the recorder
   *     was killed, and therefore ignored; else 0
   */
  public record Result(History history, long cutAtLine) {}

  private final History.Builder history = new History.Builder();
  private long line;
  private long events;

  private HistoryReader() {}

  /**
   * Reads a file.
   *
   * @throws HistoryFormatException if it is not a history
   * @throws IOException if it cannot be read
   */
  public static Result read(Path file) throws IOException {
    try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
      return read(reader);
    }
  }

  /**
   * Reads to the end of the text; does not close it.
   *
   * @throws HistoryFormatException if it is not a history
   * @throws IOException if it cannot be read
   */
  public static Result read(Reader text) throws IOException {
    HistoryReader reader = new HistoryReader();
    boolean cut = reader.readLines(new BufferedReader(text, 1 << 16));
    if (reader.events == 0) {
      throw new HistoryFormatException(0, "there is no operation in it: is it a history?");
    }
    return new Result(reader.history.build(), cut ? reader.line : 0);
  }

  /** Returns whether the last line was cut. */
  private boolean readLines(BufferedReader lines) throws IOException {
    String next = lines.readLine();
    while (next != null) {
      String text = next;
      next = lines.readLine();
      line++;
      try {
        Optional<Event> event = parse(text);
        if (event.isPresent()) {
          history.add(event.get());
          events++;
        }
      } catch (Unexpected e) {
        if (next == null && isCut(text)) {
          return true;
        }
        if (isOfClient(text)) {
          throw new HistoryFormatException(line, e.getMessage());
        }
      } catch (IllegalArgumentException e) {
        throw new HistoryFormatException(line, ErrorText.of(e));
      }
    }
    return false;
  }

  private static boolean isCut(String text) {
    try {
      new EdnCursor(text).skipValue();
      return false;
    } catch (Unexpected e) {
      return e.cutShort();
    }
  }

  /** False for a whole map with a process that is not a number: its value may be anything. */
  private static boolean isOfClient(String text) {
    EdnCursor edn = new EdnCursor(text);
    boolean isOfClient = true;
    try {
      edn.take('{');
      while (!edn.takes('}')) {
        boolean isProcess = edn.keyword("a keyword").equals("process");
        isOfClient &= !(isProcess && edn.sees(':'));
        edn.skipValue();
      }
      return isOfClient;
    } catch (Unexpected e) {
      return true;
    }
  }

  /** What a map says; null and -1 where it says nothing. */
  private static final class Fields {
    private Event.Type type;
    private boolean hasProcess;
    private boolean isClient;
    private long process;
    private long time;
    private long index = -1;
    private Isolation isolation = Isolation.SNAPSHOT;
    private List<Step> steps;
    private long start = TimestampPair.UNKNOWN;
    private long commit = TimestampPair.UNKNOWN;
    private String error;
  }

  /** Empty for a line that is blank or not about a transaction. */
  private Optional<Event> parse(String text) throws Unexpected {
    EdnCursor edn = new EdnCursor(text);
    if (edn.atEnd()) {
      return Optional.empty();
    }
    if (!edn.takes('{')) {
      throw edn.unexpected("an operation map, '{', on a line of its own");
    }
    Fields fields = new Fields();
    while (!edn.takes('}')) {
      parseField(edn, fields);
    }
    if (!edn.atEnd()) {
      throw edn.unexpected("one operation on this line");
    }
    if (fields.hasProcess && !fields.isClient) {
      return Optional.empty();
    }
    require(fields.hasProcess, ":process");
    require(fields.type != null, ":type");
    require(fields.steps != null, ":value");
    return Optional.of(
        new Event(
            fields.index < 0 ? history.nextIndex() : fields.index,
            fields.time,
            fields.type,
            fields.process,
            fields.isolation,
            fields.steps,
            new TimestampPair(fields.start, fields.commit),
            fields.error));
  }

  private static void require(boolean there, String field) throws Unexpected {
    if (!there) {
      throw new Unexpected(
          "expected a map with :type, :process and :value; " + field + " is missing", false);
    }
  }

  private static void parseField(EdnCursor edn, Fields fields) throws Unexpected {
    String key = edn.keyword("a keyword such as :type, or '}'");
    switch (key) {
      case "type" -> fields.type = type(edn);
      case "process" -> process(edn, fields);
      case "time" -> fields.time = edn.integer("the :time, an integer");
      case "index" -> fields.index = natural(edn, "the :index, an integer of at least 0");
      case "isolation" -> fields.isolation = isolation(edn);
      case "value" -> fields.steps = steps(edn);
      case "start-ts" -> fields.start = timestamp(edn, "the :start-ts");
      case "commit-ts" -> fields.commit = timestamp(edn, "the :commit-ts");
      case "error" -> fields.error = error(edn);
      default -> edn.skipValue();
    }
  }

  private static Event.Type type(EdnCursor edn) throws Unexpected {
    String expected = "the :type, one of :invoke, :ok, :fail, :info";
    String name = edn.keyword(expected);
    for (Event.Type type : Event.Type.values()) {
      if (type.name().toLowerCase(Locale.ROOT).equals(name)) {
        return type;
      }
    }
    throw new Unexpected("expected " + expected + ", but it is :" + name, false);
  }

  private static Isolation isolation(EdnCursor edn) throws Unexpected {
    String expected = "the :isolation, such as :snapshot or :serializable";
    String name = edn.keyword(expected);
    return Isolation.of(name)
        .orElseThrow(() -> new Unexpected("expected " + expected + ", but it is :" + name, false));
  }

  private static void process(EdnCursor edn, Fields fields) throws Unexpected {
    fields.hasProcess = true;
    fields.isClient = !edn.sees(':');
    if (fields.isClient) {
      fields.process = edn.integer("the :process, an integer");
    } else {
      edn.skipValue();
    }
  }

  private static long natural(EdnCursor edn, String expected) throws Unexpected {
    long value = edn.integer(expected);
    if (value < 0) {
      throw new Unexpected("expected " + expected + ", but it is " + value, false);
    }
    return value;
  }

  private static long timestamp(EdnCursor edn, String name) throws Unexpected {
    return edn.takesNil()
        ? TimestampPair.UNKNOWN
        : natural(edn, name + ", an integer of at least 0");
  }

  /** Jepsen puts any value there; only strings are kept. */
  private static String error(EdnCursor edn) throws Unexpected {
    if (edn.sees('"')) {
      return edn.string("the :error, a string");
    }
    edn.skipValue();
    return null;
  }

  private static List<Step> steps(EdnCursor edn) throws Unexpected {
    if (!edn.takes('[')) {
      throw edn.unexpected("the :value, a vector of steps such as [[:append 1 2] [:r 3 nil]]");
    }
    List<Step> steps = new ArrayList<>();
    while (!edn.takes(']')) {
      steps.add(step(edn));
    }
    return steps;
  }

  private static Step step(EdnCursor edn) throws Unexpected {
    if (!edn.takes('[')) {
      throw edn.unexpected("a step, [:append key value] or [:r key list], or ']'");
    }
    String name = edn.keyword(":append or :r");
    Step step;
    switch (name) {
      case "append" -> {
        long key = edn.integer("the step's key, an integer");
        step = Step.append(key, edn.integer("the value to append, an integer"));
      }
      case "r" -> {
        long key = edn.integer("the step's key, an integer");
        step = new Step.Read(key, edn.takesNil() ? null : list(edn));
      }
      default -> throw new Unexpected("expected :append or :r, but it is :" + name, false);
    }
    edn.take(']');
    return step;
  }

  private static long[] list(EdnCursor edn) throws Unexpected {
    if (!edn.takes('[')) {
      throw edn.unexpected("what was read, a vector of integers or nil");
    }
    long[] values = new long[8];
    int size = 0;
    while (!edn.takes(']')) {
      if (size == values.length) {
        values = Arrays.copyOf(values, 2 * size);
      }
      values[size++] = edn.integer("a value of the list, an integer, or ']'");
    }
    return Arrays.copyOf(values, size);
  }
}
