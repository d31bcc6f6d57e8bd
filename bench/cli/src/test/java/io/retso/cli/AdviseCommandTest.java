package io.retso.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code retso advise} from its flags to its exit code. */
class AdviseCommandTest {
  private static final Path FILES = Path.of("../../docs/advise");

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @TempDir Path directory;

  private int advise(String... flags) {
    CommandLine line =
        Retso.commandLine().setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    String[] all = new String[flags.length + 1];
    all[0] = "advise";
    System.arraycopy(flags, 0, all, 1, flags.length);
    return line.execute(all);
  }

  private static String file(String name) {
    return FILES.resolve(name).toString();
  }

  @Test
  void aDangerIsShownWithItsRepairs() {
    assertEquals(1, advise(file("smallbank.yaml"), "--repairs=2"));
    String said = out.toString();
    assertTrue(said.contains("WriteCheck(n=1) around TransactSaving(n=1), Balance(n=1)"), said);
    assertTrue(said.contains("  Balance, TransactSaving, WriteCheck\n"), said);
    assertTrue(said.contains("cost 2.6: WriteCheck validates its read of saving[n]"), said);
    assertTrue(said.contains("cost 4.6") && !said.contains("cost 5.6"), said);
    assertEquals("", err.toString());
  }

  @Test
  void whatIsSafeIsSaid() throws IOException {
    Path file = directory.resolve("safe.yaml");
    Files.writeString(
        file, "programs:\n  - {program: Pay(a), do: ['read t[a].c', 'write t[a].c']}\n");
    assertEquals(0, advise(file.toString()));
    assertTrue(out.toString().startsWith("Serializable: "), out::toString);
  }

  @Test
  void conflictsByCellAreAskedFor() throws IOException {
    Path file = directory.resolve("columns.yaml");
    Files.writeString(
        file,
        "programs:\n"
            + "  - {program: A(k), do: ['read t[k].c', 'write t[k].d']}\n"
            + "  - {program: B(k), do: ['read t[k].d', 'write t[k].c']}\n");
    assertEquals(0, advise(file.toString()));
    assertEquals(1, advise(file.toString(), "--conflicts=cell"));
  }

  @Test
  void ratesAreTakenFromMetrics() throws IOException {
    Path metrics = directory.resolve("metrics.txt");
    Files.writeString(
        metrics,
        "retso_client_transactions_seconds_count{name=\"WriteCheck\",outcome=\"committed\"} 900\n");
    assertEquals(1, advise(file("smallbank.yaml"), "--repairs=1", "--rates=" + metrics));
    assertTrue(out.toString().contains("Balance locks checking[n]"), out::toString);
    assertTrue(err.toString().contains("so counted as run once: Balance, "), err::toString);
    Files.writeString(metrics, "up 1\n");
    assertEquals(2, advise(file("smallbank.yaml"), "--rates=" + metrics));
    assertTrue(err.toString().contains("TransactionOptions.withName"), err::toString);
  }

  @Test
  void picturesAndTestsAreWritten() throws IOException {
    Path svg = directory.resolve("graph.svg");
    Path dot = directory.resolve("graph.dot");
    String tests = directory.resolve("tests").toString();
    assertEquals(
        1,
        advise(
            file("batches.yaml"), "--graph=" + svg, "--reproduce=" + tests, "--package=my.bank"));
    assertEquals(1, advise(file("batches.yaml"), "--graph=" + dot));
    assertTrue(Files.readString(svg).startsWith("<svg "));
    assertTrue(Files.readString(dot).startsWith("digraph "));
    String test = Files.readString(directory.resolve("tests/my/bank/Danger1Test.java"));
    assertTrue(test.startsWith("package my.bank;\n") && test.contains("class Danger1Test"), test);
  }

  @Test
  void jsonIsAllThereIs() throws IOException {
    assertEquals(1, advise(file("smallbank.yaml"), "--json"));
    JsonNode all = new ObjectMapper().readTree(out.toString());
    assertEquals("WriteCheck(n=1)", all.at("/dangers/0/pivot").asText());
    assertEquals(3, all.at("/safe").size());
    assertEquals(5, all.at("/repairs").size());
  }

  @Test
  void programsAreLearnedOfARecording() throws IOException {
    Path recording = directory.resolve("recording");
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < 5; i++) {
      String rest =
          "\"table\":\"t\",\"conflicts\":\"row\",\"row\":\"r" + i + "\",\"columns\":[\"f:q\"]}";
      lines.append("{\"program\":\"Pay\",\"run\":1,\"number\":").append(i + 1);
      lines.append(",\"isolation\":\"SNAPSHOT\",\"readOnly\":false,\"outcome\":\"COMMITTED\",");
      lines.append("\"operations\":[{\"kind\":\"get\",").append(rest).append(",{\"kind\":\"put\",");
      lines.append(rest).append("]}\n");
    }
    Files.writeString(recording, lines);
    Path file = directory.resolve("learned.yaml");
    assertEquals(0, advise("learn", recording.toString(), "--out=" + file), err::toString);
    assertTrue(err.toString().contains("programs that did not run are not covered"));
    assertTrue(Files.readString(file).contains("- write t[t1].f:q"));
    assertEquals(0, advise(file.toString()));
    assertEquals(2, advise("learn", directory.resolve("missing").toString()));
    Files.writeString(recording, "no recording");
    assertEquals(2, advise("learn", recording.toString()));
    assertTrue(err.toString().contains("1 lines are none of a recording"), err::toString);
    assertEquals(64, advise("learn"));
    assertEquals(64, advise());
  }

  @Test
  void badInputIsNamedOnce() throws IOException {
    assertEquals(2, advise("missing.yaml"));
    assertTrue(err.toString().startsWith("retso advise: there is no file missing.yaml"));
    assertEquals(2, advise(FILES.toString()));
    Path file = directory.resolve("wrong.yaml");
    Files.writeString(file, "programs:\n  - program: P(n)\n    do: ['reed t[n].c']\n");
    assertEquals(2, advise(file.toString()));
    assertTrue(err.toString().contains("wrong.yaml:3: reed is none of read, scan"), err::toString);
    assertEquals(64, advise(file("doctors.yaml"), "--graph=picture.png"));
    assertEquals(64, advise(file("doctors.yaml"), "--repairs=-1"));
    assertEquals(64, advise(file("doctors.yaml"), "--reproduce=" + directory, "--package=2nd"));
    assertTrue(err.toString().contains("is no name of a class"), err::toString);
  }
}
