package io.retso.hbase.operation;

import static io.retso.hbase.Fixture.F;
import static io.retso.hbase.Fixture.Q;
import static io.retso.hbase.Fixture.bytes;
import static io.retso.hbase.Fixture.get;
import static io.retso.hbase.Fixture.put;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.retso.hbase.Fixture;
import io.retso.hbase.RetsoCluster;
import io.retso.hbase.Transaction;
import io.retso.hbase.admin.TablePreparation.Options;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.AsyncTable;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Row;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.filter.Filter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Null and empty arguments of each method: what fails at HBase's own table fails at ours alike. */
@ExtendWith(RetsoCluster.Extension.class)
@Timeout(300)
@SuppressWarnings("deprecation") // of HBase's interface, which code still uses
class WrongArgumentsTest {
  private static final byte[] ROW = bytes("r");
  private static final byte[] NONE = {};

  private interface Use {
    void of(Table table) throws Exception;
  }

  private interface AsyncUse {
    Object of(AsyncTable<?> table) throws Exception;
  }

  private static Map<String, Use> uses() {
    Map<String, Use> uses = new LinkedHashMap<>();
    uses.put("exists(null)", table -> table.exists((Get) null));
    uses.put("exists(null list)", table -> table.exists((List<Get>) null));
    uses.put("exists(list of null)", table -> table.exists(Arrays.asList(get("r"), null)));
    uses.put("exists(empty)", table -> table.exists(List.of()));
    uses.put("existsAll(null)", table -> table.existsAll(null));
    uses.put("get(null)", table -> table.get((Get) null));
    uses.put("get(null list)", table -> table.get((List<Get>) null));
    uses.put("get(list of null)", table -> table.get(Arrays.asList(get("r"), null)));
    uses.put("get(empty)", table -> table.get(List.of()));
    uses.put("getScanner(null)", table -> table.getScanner((Scan) null));
    uses.put("getScanner(null family)", table -> table.getScanner((byte[]) null));
    uses.put("getScanner(empty family)", table -> table.getScanner(NONE).next());
    uses.put("getScanner(null family, q)", table -> table.getScanner(null, Q));
    uses.put("getScanner(f, null)", table -> table.getScanner(F, null).close());
    uses.put("put(null)", table -> table.put((Put) null));
    uses.put("put(null list)", table -> table.put((List<Put>) null));
    uses.put("put(list of null)", table -> table.put(Arrays.asList(put("r", "v"), null)));
    uses.put("put(empty list)", table -> table.put(List.of()));
    uses.put("put(no columns)", table -> table.put(new Put(ROW)));
    uses.put("put(list with no columns)", table -> table.put(List.of(new Put(ROW))));
    uses.put("delete(null)", table -> table.delete((Delete) null));
    uses.put("delete(null list)", table -> table.delete((List<Delete>) null));
    uses.put("delete(list of null)", t -> t.delete(new ArrayList<>(Arrays.asList((Delete) null))));
    uses.put("delete(empty list)", table -> table.delete(new ArrayList<>()));
    uses.put("append(null)", table -> table.append(null));
    uses.put("append(no columns)", table -> table.append(new Append(ROW)));
    uses.put("increment(null)", table -> table.increment(null));
    uses.put("increment(no columns)", table -> table.increment(new Increment(ROW)));
    uses.put("value(null row)", table -> table.incrementColumnValue(null, F, Q, 1));
    uses.put("value(empty row)", table -> table.incrementColumnValue(NONE, F, Q, 1));
    uses.put("value(long row)", t -> t.incrementColumnValue(new byte[1 << 15], F, Q, 1));
    uses.put("value(null family)", table -> table.incrementColumnValue(ROW, null, Q, 1));
    uses.put("value(empty family)", table -> table.incrementColumnValue(ROW, NONE, Q, 1));
    uses.put("value(null qualifier)", table -> table.incrementColumnValue(ROW, F, null, 1));
    uses.put("value(empty qualifier)", table -> table.incrementColumnValue(ROW, F, NONE, 1));
    uses.put("value(null all)", table -> table.incrementColumnValue(null, null, null, 1));
    uses.put("value(durable null row)", t -> t.incrementColumnValue(null, F, Q, 1, null));
    uses.put(
        "value(durable null)",
        table -> table.incrementColumnValue(ROW, F, Q, 1, (Durability) null));
    uses.put("mutateRow(null)", table -> table.mutateRow(null));
    uses.put("mutateRow(empty)", table -> table.mutateRow(new RowMutations(ROW)));
    uses.put("batch(null)", table -> table.batch(null, null));
    uses.put("batch(null, results)", table -> table.batch(null, new Object[1]));
    uses.put("batch(empty)", table -> table.batch(List.of(), new Object[0]));
    uses.put("batch(of null)", t -> t.batch(Arrays.asList(get("r"), (Row) null), new Object[2]));
    uses.put("batch(few results)", table -> table.batch(List.of(get("r")), new Object[0]));
    uses.put("batchCallback(null)", t -> t.batchCallback(null, null, (a, b, c) -> {}));
    uses.put(
        "batchCallback(no callback)",
        table -> table.batchCallback(List.of(get("r")), new Object[1], null));
    uses.put("check(null)", table -> table.checkAndMutate((CheckAndMutate) null));
    uses.put("check(null list)", table -> table.checkAndMutate((List<CheckAndMutate>) null));
    uses.put("check(of null)", table -> table.checkAndMutate(Arrays.asList((CheckAndMutate) null)));
    uses.put("check(empty)", table -> table.checkAndMutate(List.of()));
    uses.put("check(null row)", t -> t.checkAndMutate(null, F).qualifier(Q).ifNotExists());
    uses.put("check(null family)", t -> t.checkAndMutate(ROW, (byte[]) null).qualifier(Q));
    uses.put("check(null filter)", table -> table.checkAndMutate(ROW, (Filter) null));
    uses.put("check(null qualifier)", table -> table.checkAndMutate(ROW, F).qualifier(null));
    uses.put("check(null range)", table -> table.checkAndMutate(ROW, F).timeRange(null));
    uses.put(
        "check(null value)", table -> table.checkAndMutate(ROW, F).qualifier(Q).ifEquals(null));
    uses.put(
        "check(null operator)",
        table -> table.checkAndMutate(ROW, F).qualifier(Q).ifMatches(null, Q));
    uses.put(
        "check(no condition)", t -> t.checkAndMutate(ROW, F).qualifier(Q).thenPut(put("r", "v")));
    uses.put(
        "check(no qualifier)", t -> t.checkAndMutate(ROW, F).ifNotExists().thenPut(put("r", "v")));
    uses.put(
        "check(put null)", t -> t.checkAndMutate(ROW, F).qualifier(Q).ifNotExists().thenPut(null));
    uses.put(
        "check(delete null)",
        t -> t.checkAndMutate(ROW, F).qualifier(Q).ifNotExists().thenDelete(null));
    uses.put(
        "check(mutate null)",
        t -> t.checkAndMutate(ROW, F).qualifier(Q).ifNotExists().thenMutate(null));
    uses.put("checkAndPut(null)", t -> t.checkAndPut(ROW, F, Q, NONE, null));
    uses.put("checkAndPut(null row)", t -> t.checkAndPut(null, F, Q, NONE, put("r", "v")));
    uses.put("checkAndDelete(null)", t -> t.checkAndDelete(ROW, F, Q, NONE, null));
    uses.put(
        "checkAndMutate(null)",
        t -> t.checkAndMutate(ROW, F, Q, CompareOperator.EQUAL, NONE, null));
    uses.put(
        "checkAndMutate(null operator)",
        t ->
            t.checkAndMutate(
                ROW, F, Q, (CompareOperator) null, NONE, RowMutations.of(List.of(put("r", "v")))));
    return uses;
  }

  private static Map<String, AsyncUse> asyncUses() {
    Map<String, AsyncUse> uses = new LinkedHashMap<>();
    uses.put("exists(null)", table -> table.exists((Get) null));
    uses.put("exists(null list)", table -> table.exists((List<Get>) null));
    uses.put("exists(of null)", table -> table.exists(Arrays.asList(get("r"), null)));
    uses.put("existsAll(null)", table -> table.existsAll(null));
    uses.put("get(null)", table -> table.get((Get) null));
    uses.put("get(null list)", table -> table.get((List<Get>) null));
    uses.put("get(of null)", table -> table.get(Arrays.asList(get("r"), null)));
    uses.put("getAll(null)", table -> table.getAll(null));
    uses.put("put(null)", table -> table.put((Put) null));
    uses.put("put(null list)", table -> table.put((List<Put>) null));
    uses.put("putAll(null)", table -> table.putAll(null));
    uses.put("put(no columns)", table -> table.put(new Put(ROW)));
    uses.put("delete(null)", table -> table.delete((Delete) null));
    uses.put("deleteAll(null)", table -> table.deleteAll(null));
    uses.put("append(null)", table -> table.append(null));
    uses.put("increment(null)", table -> table.increment(null));
    uses.put("value(null row)", table -> table.incrementColumnValue(null, F, Q, 1));
    uses.put("value(empty row)", table -> table.incrementColumnValue(NONE, F, Q, 1));
    uses.put("value(null family)", table -> table.incrementColumnValue(ROW, null, Q, 1));
    uses.put("value(empty family)", table -> table.incrementColumnValue(ROW, NONE, Q, 1));
    uses.put("value(null qualifier)", table -> table.incrementColumnValue(ROW, F, null, 1));
    uses.put("mutateRow(null)", table -> table.mutateRow(null));
    uses.put("batch(null)", table -> table.batch(null));
    uses.put("batchAll(null)", table -> table.batchAll(null));
    uses.put("scan(null)", table -> table.scanAll(null));
    uses.put("getScanner(null)", table -> table.getScanner((Scan) null));
    uses.put("getScanner(null family)", table -> table.getScanner((byte[]) null));
    uses.put("getScanner(null family, q)", table -> table.getScanner(null, Q));
    uses.put("check(null)", table -> table.checkAndMutate((CheckAndMutate) null));
    uses.put("check(null list)", table -> table.checkAndMutate((List<CheckAndMutate>) null));
    uses.put("checkAll(null)", table -> table.checkAndMutateAll(null));
    uses.put("check(null row)", t -> t.checkAndMutate(null, F).qualifier(Q).ifNotExists());
    uses.put("check(null family)", t -> t.checkAndMutate(ROW, (byte[]) null).qualifier(Q));
    uses.put("check(null filter)", table -> table.checkAndMutate(ROW, (Filter) null));
    uses.put("check(null qualifier)", table -> table.checkAndMutate(ROW, F).qualifier(null));
    uses.put(
        "check(no condition)", t -> t.checkAndMutate(ROW, F).qualifier(Q).thenPut(put("r", "v")));
    uses.put(
        "check(put null)", t -> t.checkAndMutate(ROW, F).qualifier(Q).ifNotExists().thenPut(null));
    return uses;
  }

  /** What fails otherwise at ours than at HBase's, and why. */
  private static final Map<String, String> OTHERWISE = new HashMap<>();

  static {
    for (String family : List.of("null family", "empty family", "null family, q")) {
      // HBase says nothing before the scanner is read, and does not mind null; ours refuses.
      OTHERWISE.put("getScanner(" + family + ")", "IllegalArgumentException");
    }
    OTHERWISE.put("value(empty family)", "IllegalArgumentException"); // as every unknown family
    OTHERWISE.put("check(null range)", "IllegalArgumentException"); // as every range
    OTHERWISE.put("mutateRow(empty)", "IllegalArgumentException"); // it fails by its index
    OTHERWISE.put("batch(few results)", "IllegalArgumentException"); // by an assertion
    OTHERWISE.put("checkAndPut(null row)", "NullPointerException"); // its servers fail, repeatedly
    OTHERWISE.put("checkAndMutate(null operator)", "NullPointerException"); // the same
  }

  private static String kind(Throwable failure) {
    return failure instanceof IOException
        ? IOException.class.getSimpleName()
        : failure.getClass().getSimpleName();
  }

  private interface Call {
    Object run() throws Exception;
  }

  /** How the call fails, at once or by its future. */
  private static String failure(Call call) {
    try {
      Object answer = call.run();
      List<?> answers = answer instanceof List<?> list ? list : Arrays.asList(answer);
      for (Object each : answers) {
        if (each instanceof CompletableFuture<?> future) {
          future.get(60, TimeUnit.SECONDS);
        }
      }
      return "none";
    } catch (ExecutionException e) {
      return kind(e.getCause());
    } catch (Exception | AssertionError e) { // HBase asserts
      return kind(e);
    }
  }

  private static void compare(String name, String plain, String ours, List<String> differences) {
    if (!ours.equals(OTHERWISE.getOrDefault(name, plain))) {
      differences.add(name + ": " + ours + " instead of " + plain);
    }
  }

  @Test
  void theyFailAsInHBase(Fixture fixture) throws Exception {
    TableName name = fixture.table(Options.DEFAULT);
    Configuration impatient = new Configuration(fixture.cluster.configuration());
    impatient.setInt("hbase.client.retries.number", 1);
    impatient.setInt("hbase.client.pause", 1);
    List<String> differences = new ArrayList<>();
    try (Connection connection = ConnectionFactory.createConnection(impatient);
        Table plain = connection.getTable(name);
        AsyncConnection async = ConnectionFactory.createAsyncConnection(impatient).get();
        Transaction tx = fixture.manager().begin()) {
      Table ours = tx.table(name).asTable();
      uses()
          .forEach(
              (use, call) ->
                  compare(
                      use,
                      failure(
                          () -> {
                            call.of(plain);
                            return null;
                          }),
                      failure(
                          () -> {
                            call.of(ours);
                            return null;
                          }),
                      differences));
      AsyncTable<?> asyncPlain = async.getTable(name);
      AsyncTable<?> asyncOurs = tx.asyncTable(name).get(60, TimeUnit.SECONDS).asTable();
      asyncUses()
          .forEach(
              (use, call) ->
                  compare(
                      use,
                      failure(() -> call.of(asyncPlain)),
                      failure(() -> call.of(asyncOurs)),
                      differences));
    }
    assertEquals(List.of(), differences);
  }
}
