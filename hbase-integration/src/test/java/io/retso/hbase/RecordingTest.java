package io.retso.hbase;

import static io.retso.hbase.Fixture.F;
import static io.retso.hbase.Fixture.Q;
import static io.retso.hbase.Fixture.bytes;
import static io.retso.hbase.Fixture.get;
import static io.retso.hbase.Fixture.put;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.admin.TablePreparation.Options;
import io.retso.hbase.options.Isolation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Scan;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** What a recording says of transactions, and that they do the same with it and without. */
@ExtendWith(RetsoCluster.Extension.class)
class RecordingTest {
  private static final TransactionOptions NAMED = TransactionOptions.DEFAULT.withName("work");

  @TempDir Path directory;

  private Fixture fixture;
  private TableName name;
  private Path file;

  @BeforeEach
  void open(Fixture fixture) throws Exception {
    this.fixture = fixture;
    name = fixture.table(Options.DEFAULT);
    file = directory.resolve("recording.jsonl");
  }

  private List<String> recorded(TransactionOptions options, TransactionWork<Transaction, ?> work)
      throws IOException {
    try (TransactionManager manager = fixture.builder().recording(file).build()) {
      manager.run(options, work);
    }
    return Files.readAllLines(file);
  }

  private String operation(String kind, String rest) {
    return "{\"kind\":\"" + kind + "\",\"table\":\"" + name + "\",\"conflicts\":\"row\"," + rest;
  }

  @Test
  void operationsAreInOrderWithTheirKeysAndColumns() throws Exception {
    List<String> lines =
        recorded(
            NAMED.withIsolation(Isolation.SERIALIZABLE),
            tx -> {
              TransactionalTable table = tx.table(name);
              table.get(get("a\"\\\u0001").addColumn(F, Q));
              table.getForUpdate(get("b").addFamily(F));
              table.getValidated(get("b"));
              table.put(put("c", "secret"));
              table.increment(new Increment(bytes("d")).addColumn(F, bytes("n"), 1));
              table.delete(new Delete(bytes("e")).addFamily(F));
              table.checkAndMutate(
                  CheckAndMutate.newBuilder(bytes("g")).ifNotExists(F, Q).build(put("g", "v")));
              Fixture.scan(table, new Scan().setStartStopRowForPrefixScan(bytes("x/")));
              return null;
            });
    assertEquals(1, lines.size(), lines::toString);
    String line = lines.get(0);
    String expected =
        String.join(
            ",",
            operation("get", "\"row\":\"a\\\"\\\\x5C\\\\x01\",\"columns\":[\"f:q\"]}"),
            operation("getForUpdate", "\"row\":\"b\",\"columns\":[\"f\"]}"),
            operation("getValidated", "\"row\":\"b\",\"columns\":[]}"),
            operation("put", "\"row\":\"c\",\"columns\":[\"f:q\"]}"),
            operation("increment", "\"row\":\"d\",\"columns\":[\"f:n\"]}"),
            operation("delete", "\"row\":\"e\",\"columns\":[\"f\"]}"),
            operation("get", "\"row\":\"g\",\"columns\":[\"f:q\"]}"),
            operation("put", "\"row\":\"g\",\"columns\":[\"f:q\"]}"),
            operation("scan", "\"start\":\"x/\",\"stop\":\"x0\",\"columns\":[]}"));
    assertTrue(line.endsWith("\"outcome\":\"COMMITTED\",\"operations\":[" + expected + "]}"), line);
    assertTrue(
        line.contains("\"isolation\":\"SERIALIZABLE\",\"readOnly\":false")
            && line.startsWith("{\"program\":\"work\",\"run\":")
            && line.contains(",\"number\":1,")
            && !line.contains("secret"),
        line);
    assertEquals(PosixFilePermissions.fromString("rw-------"), Files.getPosixFilePermissions(file));
  }

  @Test
  void readersAndRefusedOnesAreRecordedToo() throws Exception {
    try (TransactionManager manager = fixture.builder().recording(file).build()) {
      manager.read(NAMED, tx -> tx.table(name).get(get("a")));
      try (Transaction slow = manager.begin(NAMED)) {
        slow.table(name).put(put("r", "1"));
        manager.run(
            tx -> {
              tx.table(name).put(put("r", "2"));
              return null;
            });
        assertThrows(IOException.class, slow::commit);
      }
    }
    String lines = Files.readString(file);
    assertTrue(lines.contains("\"readOnly\":true,\"outcome\":\"READ\""), lines);
    assertTrue(lines.contains("\"outcome\":\"CONFLICT\""), lines);
    assertTrue(lines.contains("{\"program\":\"\",") && lines.lines().count() == 3, lines);
  }

  @Test
  void aFileThatCannotBeWrittenStopsNoTransaction() throws Exception {
    for (Path bad : List.of(directory, directory.resolve("missing/file"), Path.of("/dev/full"))) {
      try (TransactionManager manager = fixture.builder().recording(bad).build()) {
        for (int i = 0; i < 5; i++) {
          String value = bad + " " + i;
          manager.run(
              NAMED,
              tx -> {
                tx.table(name).put(put("r", value));
                return null;
              });
          assertEquals(value, manager.read(tx -> Fixture.read(tx.table(name), "r")));
        }
      }
    }
  }

  @Test
  void transactionsFindTheSameWithItAndWithout() throws Exception {
    List<List<String>> found = new ArrayList<>();
    for (ManagerBuilder builder : List.of(fixture.builder(), fixture.builder().recording(file))) {
      TableName own = fixture.table(Options.DEFAULT);
      Random random = new Random(3);
      List<String> answers = new ArrayList<>();
      try (TransactionManager manager = builder.build()) {
        for (int i = 0; i < 30; i++) {
          manager.run(
              NAMED,
              tx -> {
                TransactionalTable table = tx.table(own);
                String row = "r" + random.nextInt(5);
                answers.add(Fixture.read(table, row));
                table.put(put(row, "v" + random.nextInt(100)));
                answers.add(Fixture.scan(table, new Scan()));
                table.delete(new Delete(bytes("r" + random.nextInt(5))));
                answers.add(Fixture.scan(table, new Scan().setReversed(true)));
                return null;
              });
        }
        answers.add(manager.read(tx -> Fixture.scan(tx.table(own), new Scan())));
      }
      found.add(answers);
    }
    assertEquals(found.get(0), found.get(1));
    assertEquals(30, Files.readAllLines(file).stream().filter(this::isOfWork).count());
  }

  private boolean isOfWork(String line) {
    return line.contains("\"program\":\"work\"") && line.contains("\"COMMITTED\"");
  }

  @Test
  void theKeyOfTheConfigurationNamesTheFile() throws Exception {
    Configuration configuration = new Configuration(fixture.cluster.configuration());
    configuration.set(ManagerBuilder.RECORDING_KEY, file.toString());
    try (TransactionManager manager = TransactionManager.builder(configuration).build()) {
      manager.run(
          NAMED,
          tx -> {
            tx.table(name).put(List.of(put("r", "1"), new Put(bytes("s")).addColumn(F, Q, F)));
            return null;
          });
    }
    assertTrue(Files.readString(file).contains("\"row\":\"s\""));
  }
}
