package io.retso.advise.learn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.advise.Advise;
import io.retso.advise.input.ProgramsFile;
import io.retso.advise.learn.Learner.Learned;
import io.retso.advise.model.Operation;
import io.retso.advise.model.Operation.Kind;
import io.retso.advise.model.Program;
import io.retso.advise.model.Programs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Programs from recordings: of random programs, and what cannot be explained. */
class LearnerTest {
  @TempDir Path directory;

  private final StringBuilder lines = new StringBuilder();
  private int number;

  private void line(String program, String outcome, String... operations) {
    lines.append(
        "{\"program\":\"%s\",\"run\":7,\"number\":%d,\"isolation\":\"SNAPSHOT\",\"readOnly\":false,"
                .formatted(program, ++number)
            + "\"outcome\":\"%s\",\"operations\":[%s]}\n"
                .formatted(outcome, String.join(",", operations)));
  }

  private static String row(String kind, String table, String row, String... columns) {
    String quoted = columns.length == 0 ? "" : "\"" + String.join("\",\"", columns) + "\"";
    return "{\"kind\":\"%s\",\"table\":\"%s\",\"conflicts\":\"row\",\"row\":\"%s\",\"columns\":[%s]}"
        .formatted(kind, table, row, quoted);
  }

  private static String scan(String table, String start, String stop, String column) {
    return ("{\"kind\":\"scan\",\"table\":\"%s\",\"conflicts\":\"row\",\"start\":\"%s\",\"stop\":\"%s\","
                + "\"columns\":[\"%s\"]}")
        .formatted(table, start, stop, column);
  }

  private Learned learned() throws IOException {
    Path file = directory.resolve("recording");
    Files.writeString(file, lines);
    return new Learner().add(file).learn();
  }

  private static Programs programs(Learned learned) throws IOException {
    return ProgramsFile.parse("learned", learned.yaml());
  }

  @Test
  void smallBankHasTheVerdictOfThePaper() throws IOException {
    Random random = new Random(1);
    for (int i = 0; i < 40; i++) {
      int n = random.nextInt(1000);
      int m = n + 1;
      String find = row("get", "account", "name" + n, "f:id");
      String saving = row("get", "saving", "s/" + n, "f:b");
      String checking = row("get", "checking", "" + n, "f:b");
      line("Balance", "READ", find, saving, checking);
      line("Deposit", "COMMITTED", find, checking, row("put", "checking", "" + n, "f:b"));
      line("Save", "COMMITTED", find, saving, row("put", "saving", "s/" + n, "f:b"));
      line(
          "WriteCheck", "COMMITTED", find, saving, checking, row("put", "checking", "" + n, "f:b"));
      line(
          "Amalgamate",
          "COMMITTED",
          saving,
          checking,
          row("put", "saving", "s/" + n, "f:b"),
          row("put", "checking", "" + n, "f:b"),
          row("increment", "checking", "" + m, "f:b"));
    }
    Learned learned = learned();
    Advise advise = Advise.of(programs(learned));
    assertEquals(List.of(), learned.notes());
    assertTrue(!advise.verdict().isSerializable());
    assertTrue(
        advise.verdict().dangers().stream()
            .allMatch(danger -> danger.pivot().toString().startsWith("WriteCheck(")),
        learned::yaml);
    assertEquals(List.of(Set.of("Balance", "Save", "WriteCheck")), advise.fewestSerializable());
    assertTrue(learned.yaml().contains("- read saving[account1].f:b"), learned::yaml);
    assertTrue(learned.yaml().contains("# distinct: [account1, account2]"), learned::yaml);
  }

  @Test
  void waysThroughAProgramConstantsAndPrefixesAreFound() throws IOException {
    for (int i = 100; i < 130; i++) {
      String fee = row("get", "settings", "fee", "f:v");
      String found = scan("line", i + "/", i + "0", "f:a");
      line("Pay", "COMMITTED", fee, found, row("put", "line", i + "/" + (i + 7), "f:a"));
      line("Other", "COMMITTED", row("put", "settings", "rate" + i, "f:v"));
      if (i % 2 == 0) {
        line("Pay", "COMMITTED", fee);
      }
      line("Pay", "CONFLICT", fee, row("put", "line", "7/8", "f:b"));
      line("", "COMMITTED", fee);
    }
    lines.append("{\"program\":\"torn");
    Learned learned = learned();
    Programs programs = programs(learned);
    assertEquals(2 + 1, programs.all().size(), learned::yaml);
    String first = programs.get("Pay.1").toString();
    assertTrue(first.contains("read settings['fee'].f:v"), first);
    assertTrue(
        first.contains("scan line[line1].f:a") && first.contains("line[line1, line_1]"), first);
    assertTrue(programs.get("Pay.1").rate() > programs.get("Pay.2").rate());
    String notes = learned.notes().toString();
    assertTrue(notes.contains("30 transactions were not committed"), notes);
    assertTrue(notes.contains("30 transactions have no name"), notes);
    assertTrue(notes.contains("1 lines are none of a recording"), notes);
    assertTrue(notes.contains("counts as a constant"), notes);
  }

  @Test
  void whatIsNotExplainedIsListed() throws IOException {
    for (int i = 0; i < 20; i++) {
      List<String> reads = new ArrayList<>();
      for (int j = 0; j <= i; j++) {
        reads.add(row("get", "t", (1000 + 37 * j) + "-" + i, "f:q"));
      }
      line("Loop", "COMMITTED", reads.toArray(String[]::new));
      line("Range", "COMMITTED", scan("t", "10", "17-3", "f:q"));
      line("Half", "COMMITTED", scan("t", "10", "11", "f:q")); // of 1000 and of 1037
    }
    Learned learned = learned();
    String notes = learned.notes().toString();
    assertTrue(notes.contains("Half, table t: a scan counts as one of all rows"), notes);
    for (String name : List.of("Half", "Range")) {
      assertTrue(programs(learned).get(name).toString().contains("scan t.f:q"), learned::yaml);
    }
    assertTrue(notes.contains("Loop has 20 ways through it"), notes);
    assertTrue(notes.contains("Loop.1 ran 1 times only"), notes);
    assertTrue(notes.contains("Range, table t: a scan counts as one of all rows"), notes);
    Learner empty = new Learner();
    assertThrows(IllegalArgumentException.class, empty::learn);
  }

  @Test
  void randomProgramsAreLearnedFromTheirTransactions() throws IOException {
    long seed = Long.getLong("retso.learn.seed", System.nanoTime());
    for (int i = 0; i < 60; i++) {
      lines.setLength(0);
      Programs real = Templates.random(new Random(seed + i));
      new Templates(new Random(seed + i)).run(real, this::line);
      Learned learned = learned();
      Programs found = programs(learned);
      for (Program program : real.all()) {
        assertEquals(
            renamed(program),
            renamed(found.get(program.name())),
            () -> "seed " + seed + "\n" + learned.yaml());
      }
      assertEquals(
          Advise.of(real).verdict().isSerializable(),
          Advise.of(found).verdict().isSerializable(),
          () -> "seed " + seed + "\n" + learned.yaml());
    }
  }

  /** Operations with parameters by the order in which they come. */
  private static List<String> renamed(Program program) {
    Map<String, String> names = new HashMap<>();
    List<String> operations = new ArrayList<>();
    for (Operation operation : program.operations()) {
      List<String> key = new ArrayList<>();
      for (String part : operation.key()) {
        key.add(names.computeIfAbsent(part, unknown -> "p" + names.size()));
      }
      operations.add(
          new Operation(operation.kind(), operation.table(), key, operation.columns()).toString());
    }
    return operations;
  }

  /** Random programs, and transactions of them. */
  private static final class Templates {
    private static final String[] FORMS = {"%s", "id%s", "%s/%s", "u%s:x%s", "B%s%s"};

    private final Random random;

    Templates(Random random) {
      this.random = random;
    }

    interface Sink {
      void line(String program, String outcome, String... operations);
    }

    private static int parts(int table) {
      return table < 2 ? 1 : 2;
    }

    static Programs random(Random random) {
      List<Program> programs = new ArrayList<>();
      for (int p = 0; p < 3; p++) {
        Set<Operation> operations = new LinkedHashSet<>();
        for (int table = 0; p == 0 && table < FORMS.length; table++) {
          operations.add(operation(random, Kind.WRITE, table));
        }
        for (int i = 1 + random.nextInt(4); i > 0; i--) {
          Kind[] kinds = {Kind.READ, Kind.SCAN, Kind.VALIDATE, Kind.WRITE};
          operations.add(operation(random, kinds[random.nextInt(4)], random.nextInt(FORMS.length)));
        }
        Program program = Program.named("P" + p, "n1", "n2");
        for (Operation operation : operations) {
          program = program.with(operation);
        }
        programs.add(program);
      }
      return Programs.of(programs, Programs.Conflicts.ROW, Map.of());
    }

    private static Operation operation(Random random, Kind kind, int table) {
      List<String> key = new ArrayList<>();
      for (int i = parts(table) - (kind == Kind.SCAN ? 1 : 0); i > 0; i--) {
        key.add("n" + (1 + random.nextInt(2)));
      }
      return new Operation(
          kind, "t" + (char) ('a' + table), key, Set.of(random.nextBoolean() ? "f:a" : "f:b"));
    }

    void run(Programs programs, Sink sink) {
      for (int i = 0; i < 30; i++) {
        for (Program program : programs.all()) {
          Map<String, Integer> values = Map.of("n1", value(), "n2", value());
          sink.line(
              program.name(),
              "COMMITTED",
              program.operations().stream().map(o -> shown(o, values)).toArray(String[]::new));
        }
      }
    }

    private int value() {
      return (1 << 24) + 2 * random.nextInt(1 << 20);
    }

    private static String shown(Operation operation, Map<String, Integer> values) {
      int table = operation.table().charAt(1) - 'a';
      String column = operation.columns().iterator().next();
      boolean isBinary = table == 4;
      List<String> parts =
          operation.key().stream().map(part -> shown(isBinary, values.get(part))).toList();
      if (operation.kind() == Kind.SCAN) {
        String prefix =
            parts.isEmpty() ? "" : isBinary ? parts.get(0) : prefix(table, parts.get(0));
        String stop =
            parts.isEmpty()
                ? ""
                : isBinary
                    ? shown(true, values.get(operation.key().get(0)) + 1)
                    : table == 2 ? prefix.replace('/', '0') : prefix.replace(":x", ":y");
        return scan(operation.table(), prefix, stop, column);
      }
      String row = FORMS[table].replace("B", "").formatted(parts.toArray());
      String kind =
          operation.kind() == Kind.READ
              ? "get"
              : operation.kind() == Kind.WRITE ? "put" : "getValidated";
      return row(kind, operation.table(), row, column);
    }

    private static String prefix(int table, String first) {
      return table == 2 ? first + "/" : "u" + first + ":x";
    }

    /** A number, or its four bytes; the first is 1. */
    private static String shown(boolean isBinary, int value) {
      return !isBinary
          ? String.valueOf(value)
          : "\\\\x01\\\\x%02X\\\\x%02X\\\\x%02X"
              .formatted(value >> 16 & 0xff, value >> 8 & 0xff, value & 0xff);
    }
  }
}
