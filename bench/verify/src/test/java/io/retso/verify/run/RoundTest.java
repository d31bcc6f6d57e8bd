package io.retso.verify.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.client.OracleClient;
import io.retso.client.TransactionHandle;
import io.retso.cluster.InProcessCluster;
import io.retso.hbase.Transaction;
import io.retso.verify.clients.ClusterAccess;
import io.retso.verify.clients.RunIsolation;
import io.retso.verify.clients.Tokens;
import io.retso.verify.faults.FaultOrder;
import io.retso.verify.lists.ListKey;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** What a round finds beside its history. */
@ExtendWith(InProcessCluster.Extension.class)
class RoundTest {
  private static final double SECONDS = 2;

  @TempDir Path directory;

  /** Something that is done to the tables. */
  private interface Deed {
    void doneTo(RunTables place) throws IOException;
  }

  private Round.Outcome round(InProcessCluster cluster, String beforePhase, Deed deed)
      throws Exception {
    RunSettings settings =
        new RunSettings(
            3,
            SECONDS,
            SECONDS,
            600,
            0,
            3,
            20,
            RunIsolation.SNAPSHOT,
            Set.of("client-kill"),
            Optional.empty(),
            directory,
            true,
            false);
    try (RunTables place =
        RunTables.open(
            new ClusterAccess(cluster.key(), cluster.oracle()), "round", RunTables.ALL_MODES)) {
      Round.Listener listener =
          new Round.Listener() {
            @Override
            public boolean goesOn(double seconds, Tally tally, Map<String, Integer> faults) {
              return true;
            }

            @Override
            public void phase(String what) {
              try {
                if (what.equals(beforePhase)) {
                  deed.doneTo(place);
                }
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            }
          };
      return new Round(place, settings, 0, directory, Duration.ofMinutes(1), new FaultOrder(3))
          .run(SECONDS, new OracleRestarts(cluster), listener);
    }
  }

  @Test
  void faultsThatCannotHappenAreNamed(InProcessCluster cluster) throws Exception {
    Round.Outcome outcome = round(cluster, "", place -> {});
    assertTrue(outcome.isGood(), outcome::toString);
    assertEquals(Set.of("client-kill"), outcome.never().keySet());
    assertEquals(Map.of(), outcome.faults());
  }

  @Test
  void tokensThatAreLostInTheEndAreMissed(InProcessCluster cluster) throws Exception {
    Round.Outcome outcome =
        round(
            cluster,
            "sweeping",
            place -> eachToken(place, (table, row) -> table.delete(new Delete(row.getRow()))));
    assertFalse(outcome.isGood());
    assertEquals(2 * Tokens.COUNT, outcome.violations().size(), outcome::toString); // both ways
    assertTrue(outcome.violations().get(0).endsWith("has token 0 in []"), outcome::toString);
  }

  @Test
  void tokensWithAnotherValueAreNoticed(InProcessCluster cluster) throws Exception {
    Round.Outcome outcome =
        round(
            cluster,
            "sweeping",
            place ->
                eachToken(
                    place,
                    (table, row) -> {
                      Cell cell = row.rawCells()[0];
                      byte[] family = CellUtil.cloneFamily(cell);
                      byte[] qualifier = CellUtil.cloneQualifier(cell);
                      table.put(
                          new Put(row.getRow())
                              .addColumn(family, qualifier, Bytes.toBytes("another")));
                    }));
    assertEquals(2 * Tokens.COUNT, outcome.violations().size(), outcome::toString);
    assertTrue(outcome.violations().get(0).contains("= another"), outcome::toString);
  }

  /** One that writes where no client reads: histories do not show it. */
  @Test
  void versionsThatHaveLostTheirMarksAreFoundThoughNoClientReadsThem(InProcessCluster cluster)
      throws Exception {
    Round.Outcome outcome =
        round(cluster, "sweeping", place -> writeWithoutMark(place, Bytes.toBytes("apart")));
    assertFalse(outcome.isGood());
    assertTrue(outcome.verdict().isConsistent(), outcome::toString);
    assertEquals(RunTables.ALL_MODES.size(), outcome.violations().size(), outcome::toString);
    assertTrue(
        outcome.violations().stream().allMatch(line -> line.contains("[unmarked: row apart,")),
        outcome::toString);
  }

  private static void writeWithoutMark(RunTables place, byte[] row) throws IOException {
    try (OracleClient oracle = place.access().client("flawed").build()) {
      TransactionHandle aborted = oracle.begin();
      oracle.abort(aborted);
      byte[] family = ListKey.families()[0];
      for (TableName name : place.tables()) {
        try (Table table = place.connection().getTable(name)) {
          table.put(new Put(row).addColumn(family, row, aborted.startTimestamp(), row));
        }
      }
    }
  }

  private interface TokenDeed {
    void doneTo(Table table, Result token) throws IOException;
  }

  private static void eachToken(RunTables place, TokenDeed deed) throws IOException {
    for (TableName name : place.tables()) {
      try (Transaction tx = place.manager().begin()) {
        for (Result token : tokens(tx, name)) {
          deed.doneTo(tx.table(name), token);
        }
        tx.commit();
      }
    }
  }

  private static List<Result> tokens(Transaction tx, TableName table) throws IOException {
    Scan scan =
        new Scan().withStartRow(Bytes.toBytes("token-")).withStopRow(Bytes.toBytes("token."));
    try (ResultScanner rows = tx.table(table).getScanner(scan)) {
      return List.of(rows.next(Tokens.COUNT));
    }
  }
}
