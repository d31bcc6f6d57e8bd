package io.retso.advise.learn;

import io.retso.advise.learn.Recorded.Op;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.yetus.audience.InterfaceAudience;

/**
 * Learns programs from recordings of a running application, which {@code ManagerBuilder.recording}
 * makes: transactions of one name that do the same to the same tables are one program; parts of
 * keys that are equal in all of them are one parameter. What cannot be explained is listed. Not
 * thread-safe.
 *
 * @since 0.1
 */
@InterfaceAudience.Public
public final class Learner {
  /** Ways through one program; what runs through others is listed, and not learned. */
  public static final int VARIANTS_MAX = 16;

  /** A part with one value in so many transactions is a constant. */
  public static final int CONSTANT_EACH = 20;

  /** A program that was seen less often is listed. */
  static final int SELDOM = 3;

  /** Transactions in memory; further ones are counted, and listed. */
  private static final int TRANSACTIONS_MAX = 200_000;

  private final List<Recorded> all = new ArrayList<>();
  private final List<String> notes = new ArrayList<>();
  private final Map<String, Integer> leftOut = new TreeMap<>();

  /** Numbers of transactions by name and run. */
  private final Map<String, Map<Long, Long>> numbers = new TreeMap<>();

  /**
   * What was learned.
   *
   * @param yaml a file of programs
   * @param notes what is not explained, and what is to be looked at
   */
  public record Learned(String yaml, List<String> notes) {}

  /**
   * Adds a recording.
   *
   * @throws IOException if it cannot be read
   */
  public Learner add(Path recording) throws IOException {
    try (BufferedReader lines = Files.newBufferedReader(recording, StandardCharsets.UTF_8)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        add(Recorded.parse(line));
      }
    }
    return this;
  }

  private void add(Recorded transaction) {
    if (transaction == null) {
      leaveOut("lines are none of a recording, such as a torn last one");
      return;
    }
    numbers
        .computeIfAbsent(transaction.program(), key -> new TreeMap<>())
        .merge(transaction.run(), transaction.number(), Math::max);
    if (transaction.program().isEmpty()) {
      leaveOut("transactions have no name: name them by TransactionOptions.withName");
    } else if (!transaction.isDone()) {
      leaveOut("transactions were not committed");
    } else if (transaction.isCut()) {
      leaveOut("transactions of " + transaction.program() + " were too long for their lines");
    } else if (all.size() == TRANSACTIONS_MAX) {
      leaveOut("transactions are more than " + TRANSACTIONS_MAX);
    } else {
      all.add(transaction);
    }
  }

  private void leaveOut(String reason) {
    leftOut.merge(reason, 1, Integer::sum);
  }

  /**
   * Learns from all that was added; once.
   *
   * @throws IllegalArgumentException if there is no transaction to learn from
   */
  public Learned learn() {
    leftOut.forEach((reason, count) -> notes.add("left out: " + count + " " + reason));
    if (all.isEmpty()) {
      throw new IllegalArgumentException(
          "no transaction with a name was committed in the recording: " + notes);
    }
    Tables tables = Tables.of(all);
    Map<String, Map<String, Variant>> programs = new TreeMap<>();
    for (Recorded transaction : all) {
      List<Op> ops = tables.explained(transaction, notes);
      String shape = Variant.shape(transaction, ops, tables);
      programs
          .computeIfAbsent(transaction.program(), key -> new LinkedHashMap<>())
          .computeIfAbsent(shape, key -> new Variant(transaction.isSerializable(), ops, tables))
          .add(ops, tables);
    }
    List<Variant> kept = new ArrayList<>();
    programs.forEach((name, variants) -> kept.addAll(named(name, variants.values())));
    return new Learned(new Writer(tables, kept, notes).yaml(), List.copyOf(new TreeSet<>(notes)));
  }

  /** The variants of a program that run most, with names and rates. */
  private List<Variant> named(String name, Iterable<Variant> variants) {
    List<Variant> sorted = new ArrayList<>();
    variants.forEach(sorted::add);
    sorted.sort((a, b) -> Integer.compare(b.size(), a.size()));
    int lines = sorted.stream().mapToInt(Variant::size).sum();
    long runs = numbers.get(name).values().stream().mapToLong(Long::longValue).sum();
    String word = name.replaceAll("[^\\w.-]", "_");
    for (int i = 0; i < sorted.size(); i++) {
      Variant variant = sorted.get(i);
      variant.name = sorted.size() == 1 ? word : word + "." + (i + 1);
      variant.rate = Math.max(1, Math.round((double) runs * variant.size() / lines));
    }
    if (sorted.size() > VARIANTS_MAX) {
      notes.add(
          name
              + " has "
              + sorted.size()
              + " ways through it, and only the "
              + VARIANTS_MAX
              + " that run most were learned: write the others by hand, such as a loop as a scan");
      return sorted.subList(0, VARIANTS_MAX);
    }
    return sorted;
  }

  /** All tables: the form of their keys, their columns, how they find conflicts. */
  record Tables(
      Map<String, KeyForm> forms, Map<String, Set<String>> columns, Map<String, Boolean> byCell) {
    static Tables of(List<Recorded> all) {
      Map<String, Set<String>> keys = new TreeMap<>();
      Map<String, Set<String>> columns = new TreeMap<>();
      Map<String, Boolean> byCell = new TreeMap<>();
      for (Recorded transaction : all) {
        for (Op op : transaction.ops()) {
          byCell.put(op.table(), op.isByCell());
          Set<String> known = columns.computeIfAbsent(op.table(), key -> new TreeSet<>());
          op.columns().stream().filter(column -> column.contains(":")).forEach(known::add);
          Set<String> rows = keys.computeIfAbsent(op.table(), key -> new TreeSet<>());
          if (!op.isScan()) {
            rows.add(op.key());
          }
        }
      }
      Map<String, KeyForm> forms = new TreeMap<>();
      keys.forEach((table, rows) -> forms.put(table, KeyForm.of(rows)));
      return new Tables(forms, columns, byCell);
    }

    /** The operations, each once; what is only nearly right is noted. */
    List<Op> explained(Recorded transaction, List<String> notes) {
      List<Op> ops = new ArrayList<>();
      for (Op op : transaction.ops()) {
        if (op.isScan() && !(op.isExact() && forms.get(op.table()).prefix(op.key()).isExact())) {
          note(notes, transaction, "a scan counts as one of all rows that begin alike", op);
        }
        if (op.kind().endsWith("Untracked") && transaction.isSerializable()) {
          note(notes, transaction, "an untracked read counts as if it were certified", op);
        }
        Op known = withColumns(op);
        if (!ops.contains(known)) {
          ops.add(known);
        }
      }
      return ops;
    }

    private static void note(List<String> notes, Recorded transaction, String what, Op op) {
      String note = transaction.program() + ", table " + op.table() + ": " + what;
      if (!notes.contains(note)) {
        notes.add(note);
      }
    }

    /** Families, and whole rows, are the columns that were seen of them. */
    private Op withColumns(Op op) {
      Set<String> named = new TreeSet<>();
      for (String column : columns.get(op.table())) {
        String family = column.substring(0, column.indexOf(':'));
        if (op.columns().isEmpty()
            || op.columns().contains(column)
            || op.columns().contains(family)) {
          named.add(column);
        }
      }
      if (named.isEmpty()) {
        named.add("*"); // no transaction has named a column
      }
      return new Op(
          op.kind(),
          op.table(),
          op.isByCell(),
          op.isScan(),
          op.key(),
          op.isExact(),
          List.copyOf(named));
    }

    List<String> parts(Op op) {
      KeyForm form = forms.get(op.table());
      return op.isScan() ? form.prefix(op.key()).parts() : form.parts(op.key());
    }
  }
}
