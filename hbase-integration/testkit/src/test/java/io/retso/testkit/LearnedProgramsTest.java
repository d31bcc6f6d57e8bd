package io.retso.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.advise.Advise;
import io.retso.advise.input.ProgramsFile;
import io.retso.advise.learn.Learner;
import io.retso.advise.learn.Learner.Learned;
import io.retso.hbase.Transaction;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.TransactionOptions;
import io.retso.hbase.TransactionWork;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Programs that ran on HBase, recorded and learned, have the verdicts of those written by hand. */
@ExtendWith(RetsoExtension.class)
class LearnedProgramsTest {
  private static final byte[] F = Bytes.toBytes("f");
  private static final byte[] B = Bytes.toBytes("b");
  private static final int ROUNDS = 25;

  @TempDir Path directory;

  private final Random random = new Random(5);
  private TransactionManager manager;

  private interface Round {
    void run() throws IOException;
  }

  private Advise learned(TestCluster cluster, Round round) throws IOException {
    Path file = directory.resolve("recording");
    try (TransactionManager recorded =
        TransactionManager.builder(cluster.configuration())
            .oracle(cluster.oracleAddress())
            .recording(file)
            .build()) {
      manager = recorded;
      for (int i = 0; i < ROUNDS; i++) {
        round.run();
      }
    }
    assertTrue(Files.size(file) > 0);
    Learned learned = new Learner().add(file).learn();
    assertEquals(List.of(), learned.notes(), learned::yaml);
    return Advise.of(ProgramsFile.parse("learned", learned.yaml()));
  }

  private void run(String name, TransactionWork<Transaction, ?> work) throws IOException {
    manager.run(TransactionOptions.DEFAULT.withName(name), work);
  }

  private static void read(Transaction tx, String table, String row) throws IOException {
    tx.table(table).get(new Get(Bytes.toBytes(row)).addColumn(F, B));
  }

  private static void add(Transaction tx, String table, String row) throws IOException {
    read(tx, table, row);
    tx.table(table).put(new Put(Bytes.toBytes(row)).addColumn(F, B, B));
  }

  @Test
  void smallBankIsNotSerializable(TestCluster cluster) throws IOException {
    for (String table : List.of("account", "saving", "checking")) {
      cluster.createTable("learned_" + table, "f");
    }
    Advise advise =
        learned(
            cluster,
            () -> {
              String n = "" + random.nextInt(500);
              String m = "" + (500 + random.nextInt(500));
              run(
                  "Balance",
                  tx -> {
                    read(tx, "learned_account", "name " + n);
                    read(tx, "learned_saving", n);
                    read(tx, "learned_checking", n);
                    return null;
                  });
              run(
                  "DepositChecking",
                  tx -> {
                    read(tx, "learned_account", "name " + n);
                    add(tx, "learned_checking", n);
                    return null;
                  });
              run(
                  "TransactSaving",
                  tx -> {
                    read(tx, "learned_account", "name " + n);
                    add(tx, "learned_saving", n);
                    return null;
                  });
              run(
                  "Amalgamate",
                  tx -> {
                    add(tx, "learned_saving", n);
                    add(tx, "learned_checking", n);
                    add(tx, "learned_checking", m);
                    return null;
                  });
              run(
                  "WriteCheck",
                  tx -> {
                    read(tx, "learned_account", "name " + n);
                    read(tx, "learned_saving", n);
                    add(tx, "learned_checking", n);
                    return null;
                  });
            });
    Advise byHand = Advise.of(ProgramsFile.read(Path.of("../../docs/advise/smallbank.yaml")));
    assertFalse(advise.verdict().isSerializable());
    assertTrue(
        advise.verdict().dangers().stream()
            .allMatch(danger -> danger.pivot().program().name().equals("WriteCheck")));
    assertEquals(Set.copyOf(byHand.maximalSafe()), Set.copyOf(advise.maximalSafe()));
    assertEquals(byHand.fewestSerializable(), advise.fewestSerializable());
  }

  @Test
  void tpcBWithAnAuditThatScansIsSerializable(TestCluster cluster) throws IOException {
    for (String table : List.of("branch", "teller", "customer", "history")) {
      cluster.createTable("learned_" + table, "f");
    }
    Advise advise =
        learned(
            cluster,
            () -> {
              int branch = random.nextInt(100);
              String teller = branch + "/" + random.nextInt(10);
              String customer = "c" + random.nextInt(10_000);
              String history = customer + "-" + random.nextInt(1 << 20);
              run(
                  "Pay",
                  tx -> {
                    add(tx, "learned_customer", customer);
                    add(tx, "learned_teller", teller);
                    tx.table("learned_branch")
                        .increment(new Increment(Bytes.toBytes("b" + branch)).addColumn(F, F, 1));
                    tx.table("learned_history")
                        .put(new Put(Bytes.toBytes(history)).addColumn(F, B, B));
                    return null;
                  });
              run(
                  "Audit",
                  tx -> {
                    byte[] tellers = Bytes.toBytes(branch + "/");
                    Scan scan = new Scan().setStartStopRowForPrefixScan(tellers);
                    try (ResultScanner rows = tx.table("learned_teller").getScanner(scan)) {
                      rows.forEach(row -> assertFalse(row.isEmpty()));
                    }
                    read(tx, "learned_branch", "b" + branch);
                    return null;
                  });
            });
    assertTrue(advise.verdict().isSerializable(), advise.verdict()::toString);
    assertTrue(
        advise.programs().get("Audit").toString().contains("scan learned_teller["),
        advise.programs().get("Audit")::toString);
  }
}
