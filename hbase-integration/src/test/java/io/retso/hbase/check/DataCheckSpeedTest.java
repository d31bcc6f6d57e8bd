package io.retso.hbase.check;

import static io.retso.hbase.Fixture.F;
import static io.retso.hbase.Fixture.bytes;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.retso.client.OracleClient;
import io.retso.hbase.Fixture;
import io.retso.hbase.RetsoCluster;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.admin.TablePreparation.Options;
import io.retso.server.RetsoServer;
import io.retso.text.Text;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * A check beside a raw scan of the same table, both by one thread, in turn. By hand, {@code
 * -Dretso.check.cells=200000}.
 */
@ExtendWith(RetsoCluster.Extension.class)
@EnabledIfSystemProperty(named = "retso.check.cells", matches = "\\d+")
class DataCheckSpeedTest {
  static final List<Options> MODES = Fixture.MODES;

  private static final int CELLS = Integer.getInteger("retso.check.cells", 0);
  private static final int COLUMNS = 10;
  private static final int ROWS_AT_A_TIME = 500;
  private static final int ROUNDS = 15;
  private static final DataCheckOptions STRICT =
      new DataCheckOptions(true, false, 1, Duration.ofSeconds(10));

  @ParameterizedTest
  @FieldSource("MODES")
  void isMeasured(Options options, Fixture fixture) throws Exception {
    RetsoServer server = fixture.opened(RetsoCluster.startOracle());
    String address = "127.0.0.1:" + server.port();
    OracleClient oracle = fixture.opened(OracleClient.builder().address(address).build());
    AsyncConnection hbase =
        fixture.opened(
            ConnectionFactory.createAsyncConnection(fixture.cluster.configuration()).get());
    TransactionManager manager = fixture.opened(fixture.builder().oracle(address).build());
    TableName name = fixture.cluster.freshName("speed");
    fixture.preparation(address).create(Fixture.descriptor(name).build(), options);
    for (int row = 0; row < CELLS / COLUMNS; row += ROWS_AT_A_TIME) {
      List<Put> puts = new ArrayList<>();
      for (int i = row; i < row + ROWS_AT_A_TIME; i++) {
        Put put = new Put(bytes(Text.of("row-%08d", i)));
        for (int column = 0; column < COLUMNS; column++) {
          put.addColumn(F, bytes("q" + column), new byte[100]);
        }
        puts.add(put);
      }
      manager.run(
          tx -> {
            tx.table(name).put(puts);
            return null;
          });
    }
    Fixture.eventually("no mark is left", () -> manager.sweep().marks() == 0);
    fixture.compact(name);
    List<Long> raw = new ArrayList<>();
    List<Long> checks = new ArrayList<>();
    for (int round = 0; round < ROUNDS; round++) {
      raw.add(millis(() -> scanned(hbase, name)));
      checks.add(millis(() -> checked(oracle, hbase, name)));
    }
    System.out.println(
        Text.of(
            "%s: raw scan %s ms, check %s ms; medians %s and %s",
            options.reads(), raw, checks, median(raw), median(checks)));
  }

  private static long median(List<Long> all) {
    return all.stream().sorted().toList().get(ROUNDS / 2);
  }

  private static long millis(Callable<Long> work) throws Exception {
    long begun = System.nanoTime();
    assertEquals(CELLS, work.call().longValue(), "cells");
    return (System.nanoTime() - begun) / 1_000_000;
  }

  private static long scanned(AsyncConnection hbase, TableName name) throws Exception {
    Scan scan = new Scan().setRaw(true).readAllVersions().setCacheBlocks(false);
    long cells = 0;
    try (ResultScanner scanner = hbase.getTable(name).getScanner(scan)) {
      for (Result row = scanner.next(); row != null; row = scanner.next()) {
        cells += row.size();
      }
    }
    return cells;
  }

  private static long checked(OracleClient oracle, AsyncConnection hbase, TableName name)
      throws Exception {
    List<Finding> findings = new ArrayList<>();
    DataCheckResult result =
        new DataCheck(oracle, hbase, STRICT, findings::add, line -> {}).check(name);
    assertEquals(List.of(), findings);
    return result.cells();
  }
}
