package io.retso.advise;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.advise.input.ProgramsFile;
import io.retso.advise.input.ProgramsFormatException;
import io.retso.advise.model.Program;
import io.retso.advise.model.Programs;
import io.retso.advise.model.Programs.Conflicts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Files of programs: those of the guide, and wrong ones. */
class ProgramsFileTest {
  private static final Path EXAMPLES = Path.of("../../docs/advise");

  @Test
  void smallBankIsThatOfTheCases() throws IOException {
    Programs read = ProgramsFile.read(EXAMPLES.resolve("smallbank.yaml"));
    assertEquals(
        Advise.of(Cases.smallBank()).verdict().toString(), Advise.of(read).verdict().toString());
    assertEquals(20, read.get("Balance").rate());
  }

  @Test
  void theOtherExamplesHaveTheVerdictsOfTheGuide() throws IOException {
    assertEquals(
        List.of("GoOffCall runs serializable"),
        Advise.of(ProgramsFile.read(EXAMPLES.resolve("doctors.yaml"))).repairs(1).get(0).steps());
    assertEquals(
        3, Advise.of(ProgramsFile.read(EXAMPLES.resolve("batches.yaml"))).maximalSafe().size());
    assertEquals(
        List.of("BuyNow locks current[item] (getForUpdate)"),
        Advise.of(ProgramsFile.read(EXAMPLES.resolve("rubis.yaml"))).repairs(1).get(0).steps());
  }

  @Test
  void everythingThatCanBeSaid() throws IOException {
    Programs read =
        ProgramsFile.parse(
            "all.yaml",
            """
            conflicts: cell
            tables:
              account: row
            programs:
              - program: Transfer(a1, a2)
                rate: 2.5
                isolation: serializable
                distinct: [a1, a2]
                do:
                  - lock account[a1].balance
                  - validate account[a2].balance, owner
                  - write  account [ a1 ] . balance
                  - lock account[a2]
              - program: Audit
                do:
                  - scan account.balance, *
                  - read settings['fee'].value
            """);
    assertEquals(
        """
        Transfer(a1, a2) serializable distinct a1, a2
          read account[a1].balance
          lock account[a1].balance
          validate account[a2].balance, owner
          write account[a1].balance
          lock account[a2]\
        """,
        read.get("Transfer").toString());
    assertEquals(2.5, read.get("Transfer").rate());
    assertEquals(
        "Audit()\n  scan account.*, balance\n  read settings['fee'].value",
        read.get("Audit").toString());
    assertEquals(Conflicts.ROW, read.conflicts("account"));
    assertEquals(Conflicts.CELL, read.conflicts("settings"));
  }

  /** A line of a program, the line of the error, and what it says. */
  static Stream<Arguments> wrongLines() {
    return Stream.of(
        Arguments.of("do: ['red a[n].c']", 3, "red is none of read, scan, validate, lock, write"),
        Arguments.of("do: ['read a[n]']", 3, "columns are missing behind a dot"),
        Arguments.of("do: ['read a[m].c']", 3, "m in 'read a[m].c' is none of its parameters"),
        Arguments.of("do: [read]", 3, "an operation is expected, such as"),
        Arguments.of("do: 7", 3, "a list is expected"),
        Arguments.of("doo: []", 3, "'doo' is none of [distinct, do, isolation"),
        Arguments.of("rate: often", 3, "a number is expected"),
        Arguments.of("rate: -1", 3, "a rate must be above 0"),
        Arguments.of("isolation: strict", 3, "'snapshot' or 'serializable' is expected"),
        Arguments.of("distinct: [k]", 3, "k is no parameter of it"),
        Arguments.of("program: Q(n)", 3, "'program' is there twice"),
        Arguments.of("rate: {a: 1}", 3, "a word or a text is expected"),
        Arguments.of("rate: [1", 4, "not YAML"));
  }

  @ParameterizedTest
  @MethodSource("wrongLines")
  void wrongLinesAreNamed(String line, int number, String says) {
    String text = "programs:\n  - program: P(n)\n    " + line + "\n";
    String whole = text + (line.startsWith("do:") ? "" : "    do: ['read a[n].c']\n");
    ProgramsFormatException e =
        assertThrows(ProgramsFormatException.class, () -> ProgramsFile.parse("x.yaml", whole));
    assertTrue(e.getMessage().startsWith("x.yaml:" + number + ": "), e.getMessage());
    assertTrue(e.getMessage().contains(says), e.getMessage());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "''                                 | x.yaml:1: empty",
        "'[1]'                              | x.yaml:1: names with values are expected",
        "'conflicts: row'                   | x.yaml:1: 'programs:' is missing",
        "'conflicts: all\nprograms: []'     | x.yaml:1: 'row' or 'cell' is expected",
        "'programs:\n  - rate: 1'           | x.yaml:2: a program has 'program: NAME",
        "'programs:\n  - {program: \"(n)\", do: []}' | x.yaml:2: a name with parameters"
      })
  void wrongFilesAreNamed(String text, String says) {
    ProgramsFormatException e =
        assertThrows(ProgramsFormatException.class, () -> ProgramsFile.parse("x.yaml", text));
    assertTrue(e.getMessage().startsWith(says), e.getMessage());
  }

  @Test
  void filesThatAreNoneAreNamed(@TempDir Path directory) throws IOException {
    Path file = directory.resolve("programs.yaml");
    assertSays("there is no file ", file);
    Files.write(file, new byte[] {(byte) 0xff, (byte) 0xfe, 0, (byte) 0xff});
    assertSays("it is not text in UTF-8", file);
    Files.writeString(file, "x".repeat((1 << 20) + 1));
    assertSays("are no file of programs", file);
  }

  private static void assertSays(String what, Path file) {
    String said =
        assertThrows(ProgramsFormatException.class, () -> ProgramsFile.read(file)).getMessage();
    assertTrue(said.contains(what), said);
  }

  /** Whatever is changed in a good file, the answer is programs, or an error with its line. */
  @Test
  void mutatedFilesAreHarmless() throws IOException {
    String good = Files.readString(EXAMPLES.resolve("smallbank.yaml"));
    Random random = new Random(7);
    int refused = 0;
    for (int i = 0; i < 3_000; i++) {
      StringBuilder text = new StringBuilder(good);
      for (int k = 1 + random.nextInt(3); k > 0; k--) {
        int at = random.nextInt(text.length());
        text.setCharAt(at, "\n []{}:-,.'\"nx*&!%@".charAt(random.nextInt(19)));
      }
      try {
        for (Program program : ProgramsFile.parse("m.yaml", text.toString()).all()) {
          assertTrue(program.rate() > 0);
        }
      } catch (ProgramsFormatException e) {
        refused++;
        assertTrue(e.getMessage().matches("(?s)m\\.yaml:\\d+: .+"), e.getMessage());
      }
    }
    assertTrue(refused > 500, "refused: " + refused);
  }
}
