package io.retso.hbase.trace;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.client.OracleClient;
import io.retso.edited.EditedClasses;
import io.retso.edited.SourceEdit;
import io.retso.hbase.Fixture;
import io.retso.hbase.RetsoCluster;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.admin.TablePreparation.Options;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Function;
import java.util.function.LongUnaryOperator;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a transaction pays for OpenTelemetry's API where there is no SDK, beside the same client
 * library without the API, in turns: {@code retso.traces.pairs} says how many.
 */
@EnabledIfSystemProperty(named = "retso.traces.pairs", matches = "\\d+")
@ExtendWith(RetsoCluster.Extension.class)
class CostWithoutSdkTest {
  private static final int TRANSACTIONS = 10;
  private static final int SAMPLES = 2_000;
  private static final long SEED = 7;

  /** Where the first call finds what it needs: connection, oracle, table. */
  static final class Tellers implements Function<Map<String, Object>, LongUnaryOperator> {
    @Override
    public LongUnaryOperator apply(Map<String, Object> place) {
      TransactionManager manager;
      try {
        manager =
            TransactionManager.builder((Connection) place.get("connection"))
                .oracle((String) place.get("oracle"))
                .build();
      } catch (IOException e) {
        throw new IllegalStateException(e);
      }
      String table = (String) place.get("table");
      return count -> {
        try {
          return nanos(manager, table, count);
        } catch (IOException e) {
          throw new IllegalStateException(e);
        }
      };
    }

    /** How long a transaction takes; 0 of them end it all. */
    private static long nanos(TransactionManager manager, String table, long count)
        throws IOException {
      if (count == 0) {
        manager.close();
        return 0;
      }
      byte[] family = Bytes.toBytes("f");
      long begun = System.nanoTime();
      for (long i = 0; i < count; i++) {
        Put put = new Put(Bytes.toBytes(i)).addColumn(family, family, family);
        manager.run(
            tx -> {
              tx.table(table).put(put);
              return null;
            });
      }
      return (System.nanoTime() - begun) / count;
    }
  }

  private static LongUnaryOperator tellers(Path directory, Map<String, Object> place)
      throws Exception {
    @SuppressWarnings("resource") // as long as the process runs
    EditedClasses classes =
        EditedClasses.of(
            directory, CostWithoutSdkTest.class, TransactionManager.class, OracleClient.class);
    @SuppressWarnings("unchecked")
    Function<Map<String, Object>, LongUnaryOperator> made =
        classes.make(Tellers.class, Function.class);
    return made.apply(place);
  }

  @Test
  void itIsCountedInTurns(RetsoCluster cluster, Fixture fixture, @TempDir Path edited)
      throws Exception {
    Map<String, Object> place =
        Map.of(
            "connection", cluster.connection(),
            "oracle", cluster.oracleAddress(),
            "table", fixture.table(Options.DEFAULT).getNameAsString());
    Path library = Path.of("src/main/java/io/retso/hbase/trace/Library.java");
    new SourceEdit(library, "return true;", "return false;").compile(edited);
    LongUnaryOperator with = tellers(edited.resolve("none"), place);
    LongUnaryOperator without = tellers(edited, place);
    int pairs = Integer.getInteger("retso.traces.pairs");
    double[] added = new double[pairs];
    long[] all = new long[pairs];
    for (int i = -pairs / 4; i < pairs; i++) {
      boolean first = i % 2 == 0;
      long one = (first ? with : without).applyAsLong(TRANSACTIONS);
      long other = (first ? without : with).applyAsLong(TRANSACTIONS);
      if (i >= 0) {
        added[i] = first ? one - other : other - one;
        all[i] = first ? other : one;
      }
    }
    with.applyAsLong(0);
    without.applyAsLong(0);
    Arrays.sort(all);
    double whole = all[pairs / 2];
    double[] medians = new double[SAMPLES];
    SplittableRandom random = new SplittableRandom(SEED);
    for (int i = 0; i < SAMPLES; i++) {
      medians[i] = median(random.ints(pairs, 0, pairs).mapToDouble(j -> added[j]).toArray());
    }
    Arrays.sort(medians);
    System.out.printf(
        "a transaction takes %.0f us; with the API %.2f %% more (95 %%: %.2f to %.2f)%n",
        whole / 1_000,
        100 * median(added) / whole,
        100 * medians[SAMPLES / 40] / whole,
        100 * medians[SAMPLES - SAMPLES / 40] / whole);
    assertTrue(100 * medians[SAMPLES / 40] / whole < 1, "it costs more than 1 %");
  }

  private static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }
}
