package io.retso.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.verify.history.HistoryRecorder;
import io.retso.verify.history.Step;
import io.retso.verify.history.TimestampPair;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code retso verify}, from a file to the exit code. */
class VerifyCommandTest {
  @TempDir Path directory;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int verify(String... arguments) {
    CommandLine commandLine = Retso.commandLine();
    commandLine.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    String[] all = new String[arguments.length + 1];
    all[0] = "verify";
    System.arraycopy(arguments, 0, all, 1, arguments.length);
    return commandLine.execute(all);
  }

  /** Two transactions that read both keys as empty and append to one each: write skew. */
  private String writeSkew(long... lastRead) throws IOException {
    Path file = directory.resolve("history.edn");
    try (HistoryRecorder recorder = HistoryRecorder.create(file)) {
      recorder.invoke(0, List.of(Step.read(1), Step.append(2, 1)));
      recorder.invoke(1, List.of(Step.read(2), Step.append(1, 1)));
      recorder.ok(0, List.of(Step.read(1, new long[0]), Step.append(2, 1)), TimestampPair.NONE);
      recorder.ok(1, List.of(Step.read(2, new long[0]), Step.append(1, 1)), TimestampPair.NONE);
      recorder.invoke(2, List.of(Step.read(1), Step.read(2)));
      recorder.ok(2, List.of(Step.read(1, lastRead), Step.read(2, 1)), TimestampPair.NONE);
    }
    return file.toString();
  }

  private void assertPrinted(String part) {
    assertTrue(out.toString().contains(part), out + "\n" + err);
  }

  @Test
  void aConsistentHistory() throws IOException {
    assertEquals(0, verify("--history", writeSkew(1)));
    assertPrinted("3 transactions: 3 committed, 0 failed, 0 of unknown outcome");
    assertPrinted("2 keys; dependencies: 0 ww, 2 wr, 2 rw.");
    assertPrinted("1 pairs with write skew; 1 groups that no serial order explains");
    assertPrinted("CONSISTENT with strong snapshot isolation.");
    assertPrinted("Read in ");
  }

  @Test
  void anotherModel() throws IOException {
    assertEquals(1, verify("--history", writeSkew(1), "--isolation", "serializable"));
    assertPrinted("G2-item: T0 -rw(k1)-> T1 -rw(k2)-> T0");
    assertPrinted("NOT strict serializability: 1 anomalies.");
  }

  @Test
  void anomaliesAreExplained() throws IOException {
    assertEquals(1, verify("--history", writeSkew()));
    assertPrinted("1 x lost-append: an acknowledged append is missing");
    assertPrinted("lost-append: k1: T1 appended 1");
    assertPrinted("T2 (process 2, index 4 to 5, committed): read k1 = []; read k2 = [1]");
    assertPrinted("NOT strong snapshot isolation: 1 anomalies.");
  }

  @Test
  void aCutFileIsChecked() throws IOException {
    Path file = Path.of(writeSkew(1));
    String text = Files.readString(file);
    Files.writeString(file, text.substring(0, text.length() - 10));
    assertEquals(0, verify("--history", file.toString()));
    assertPrinted("Line 6, the last one, was cut in the middle and is ignored.");
    assertPrinted("Attention: 2 keys were not read after their last acknowledged append (k1, k2)");
  }

  @Test
  void aHistoryWithoutCommitsTestsNothing() throws IOException {
    Path file = directory.resolve("history.edn");
    Files.writeString(file, "");
    assertEquals(2, verify("--history", file.toString()));
    try (HistoryRecorder recorder = HistoryRecorder.create(file)) {
      recorder.invoke(0, List.of(Step.append(1, 1)));
      recorder.fail(0, TimestampPair.NONE, "no route to host");
      recorder.invoke(0, List.of(Step.append(1, 2)));
    }
    assertEquals(2, verify("--history", file.toString()));
    assertPrinted("2 transactions: 0 committed, 1 failed, 1 of unknown outcome");
    assertPrinted("Nothing contradicts strong snapshot isolation, and nothing shows it.");
    assertTrue(
        err.toString().contains("nothing was tested: no transaction in " + file), err::toString);
  }

  @Test
  void badInputIsRefused() throws IOException {
    Path file = directory.resolve("bad.edn");
    assertEquals(2, verify("--history", file.toString()));
    Files.writeString(file, "{:type :ok, :process 1, :value [[:w 1 2]]}\n");
    assertEquals(2, verify("--history", file.toString()));
    assertTrue(err.toString().contains("there is no file " + file), err.toString());
    assertTrue(err.toString().contains("bad.edn: line 1: expected :append or :r"), err.toString());
    Files.write(file, new byte[] {'{', (byte) 0xff, (byte) 0xfe, '}'});
    assertEquals(2, verify("--history", file.toString()));
    assertEquals(2, verify("--history", directory.toString()));
    assertEquals(64, verify("--history", file.toString(), "--isolation", "some"));
  }

  @Test
  void badFlagsOfARunAreRefused() {
    assertEquals(64, verify("--minutes", "0"));
    assertTrue(err.toString().contains("must be above 0 and at most 10000"), err::toString);
    assertEquals(64, verify("--faults", "flush,earthquake"));
    assertTrue(
        err.toString().contains("no fault is called earthquake; choose from"), err::toString);
    assertEquals(64, verify("--cluster", "localhost:2181"));
    assertTrue(err.toString().contains("--cluster and --oracle go together"), err::toString);
    assertEquals(
        64,
        verify(
            "--cluster", "localhost:2181", "--oracle", "localhost:1", "--faults", "oracle-kill"));
    assertEquals(64, verify("--isolation", "repeatable-read"));
  }

  @Test
  void malformedAddressesOfAGivenClusterAreRefused() {
    for (String cluster : List.of("nonsense", "localhost:zookeeper", "a:1:/b:2", "localhost:1:")) {
      assertEquals(64, verify("--cluster", cluster, "--oracle", "localhost:7521"), cluster);
      assertTrue(
          err.toString().contains("--cluster=" + cluster + " is neither HOST"), err::toString);
    }
    for (String oracle : List.of("localhost", "localhost:oracle", "localhost:0", ":7521")) {
      assertEquals(64, verify("--cluster", "localhost:2181", "--oracle", oracle), oracle);
      assertTrue(err.toString().contains("--oracle: address \"" + oracle + "\""), err::toString);
    }
  }
}
