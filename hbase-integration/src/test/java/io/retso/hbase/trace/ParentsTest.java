package io.retso.hbase.trace;

import static io.retso.hbase.Fixture.eventually;
import static io.retso.hbase.Fixture.get;
import static io.retso.hbase.Fixture.put;
import static io.retso.hbase.Fixture.read;
import static io.retso.hbase.Fixture.scan;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.retso.hbase.AsyncTransactionalTable;
import io.retso.hbase.Fixture;
import io.retso.hbase.ReadTransaction;
import io.retso.hbase.RetsoCluster;
import io.retso.hbase.Transaction;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.TransactionOptions;
import io.retso.hbase.errors.ConflictException;
import io.retso.hbase.futures.Futures;
import io.retso.hbase.options.Isolation;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Scan;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Of a thousand transactions, blocking and asynchronous ones, HBase's client makes no span that is
 * not below one of ours.
 */
@ExtendWith(RetsoCluster.Extension.class)
@Timeout(300)
class ParentsTest {
  private static final int TRANSACTIONS = 1000;
  private static final int SIDE_BY_SIDE = 25;
  private static final int ROWS = 200;

  /** As HBase's spans have it. */
  private static final AttributeKey<String> TABLE = AttributeKey.stringKey("db.hbase.table");

  private static final AttributeKey<String> SERVICE = AttributeKey.stringKey("rpc.service");

  private static final TransactionOptions SERIALIZABLE =
      TransactionOptions.DEFAULT.withIsolation(Isolation.SERIALIZABLE);

  @Test
  void noSpanOfHBaseIsWithoutOneOfOurs(Fixture fixture) throws Exception {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    List<TableName> tables = new ArrayList<>();
    for (var mode : Fixture.MODES) {
      tables.add(fixture.table(mode));
    }
    InstalledSdk sdk = fixture.opened(new InstalledSdk());
    try (TransactionManager manager = fixture.builder().build()) {
      for (int i = 0; i < TRANSACTIONS / 2; i++) {
        block(manager, tables.get(i % 2), random);
      }
      for (int i = 0; i < TRANSACTIONS / 2; i += SIDE_BY_SIDE) {
        List<CompletableFuture<?>> all = new ArrayList<>();
        for (int j = 0; j < SIDE_BY_SIDE; j++) {
          all.add(begin(manager, tables.get(j % 2), random));
        }
        Futures.all(all).get(60, TimeUnit.SECONDS);
      }
    }
    // HBase's client may end a span a little after it has answered.
    List<String> names = tables.stream().map(TableName::getNameAsString).toList();
    String[] orphans = {""};
    eventually(
        () -> orphans[0] + " with seed " + seed,
        () -> {
          orphans[0] = orphans(sdk, names).toString();
          return orphans[0].equals("[]");
        });
    long below =
        sdk.ended().stream()
            .filter(span -> names.contains(span.getAttributes().get(TABLE)))
            .filter(span -> span.getKind() == SpanKind.CLIENT)
            .count();
    assertTrue(below > TRANSACTIONS, below + " requests with seed " + seed);
    long ours =
        sdk.ended().stream()
            .filter(InstalledSdk::isOurs)
            .filter(span -> span.getName().matches("retso.(run|transaction)"))
            .count();
    assertTrue(ours >= TRANSACTIONS, ours + " with seed " + seed);
  }

  /** Client's spans about the tables, and requests on their own, that are below none of ours. */
  private static List<SpanData> orphans(InstalledSdk sdk, List<String> tables) {
    Map<String, SpanData> byId = sdk.byId();
    List<SpanData> orphans = new ArrayList<>();
    for (SpanData span : byId.values()) {
      if (span.getKind() == SpanKind.SERVER || InstalledSdk.isOurs(span)) {
        continue;
      }
      SpanData top = span;
      boolean isAboutTables = false;
      while (top != null && !InstalledSdk.isOurs(top)) {
        isAboutTables |= tables.contains(top.getAttributes().get(TABLE));
        isAboutTables |=
            !top.getParentSpanContext().isValid()
                && "hbase.pb.ClientService".equals(top.getAttributes().get(SERVICE));
        top = byId.get(top.getParentSpanId());
      }
      if (top == null && isAboutTables) {
        orphans.add(span);
      }
    }
    return orphans;
  }

  private static String row(Random random) {
    return "r" + random.nextInt(ROWS);
  }

  private static void block(TransactionManager manager, TableName name, Random random)
      throws IOException {
    String row = row(random);
    String other = row(random);
    switch (random.nextInt(5)) {
      case 0 ->
          manager.run(
              tx -> {
                read(tx.table(name), row);
                tx.table(name).put(put(other, "x"));
                return null;
              });
      case 1 ->
          manager.run(
              SERIALIZABLE,
              tx -> {
                tx.table(name).put(put(row, "y"));
                return scan(tx.table(name), new Scan().setLimit(20)) + read(tx.table(name), other);
              });
      case 2 ->
          manager.read(
              tx -> read(tx.table(name), row) + scan(tx.table(name), new Scan().setCaching(10)));
      case 3 -> {
        try (Transaction tx = manager.begin()) {
          tx.table(name).put(put(row, "z"));
          read(tx.table(name), row);
          tx.table(name).get(List.of(get(row), get(other)));
          tx.commit();
        }
      }
      default -> {
        try (Transaction tx = manager.begin();
            ReadTransaction reader = manager.beginReadOnly()) {
          tx.table(name).put(put(row, "rolled back"));
          tx.table(name).getScanner(new Scan()).next();
          read(reader.table(name), row);
          reader.readTimestamp();
        }
      }
    }
  }

  private static CompletableFuture<?> begin(
      TransactionManager manager, TableName name, Random random) {
    String row = row(random);
    String other = row(random);
    return switch (random.nextInt(4)) {
      case 0 ->
          manager.runAsync(
              tx ->
                  tx.asyncTable(name)
                      .thenCompose(
                          table ->
                              table
                                  .get(get(row))
                                  .thenCompose(seen -> table.put(put(other, "x")))
                                  .thenCompose(done -> table.get(get(other)))));
      case 1 ->
          manager.runAsync(
              SERIALIZABLE,
              tx ->
                  tx.asyncTable(name)
                      .thenCompose(
                          table ->
                              table
                                  .scanAll(new Scan().setCaching(10).setLimit(30))
                                  .thenCompose(rows -> table.put(put(row, "" + rows.size())))));
      case 2 ->
          manager.readAsync(
              tx ->
                  tx.asyncTable(name)
                      .thenCompose(
                          table ->
                              table
                                  .get(get(row))
                                  .thenCompose(seen -> table.scanAll(new Scan().setLimit(50)))));
      default ->
          manager
              .beginAsync()
              .thenCompose(
                  tx ->
                      tx.asyncTable(name)
                          .thenCompose(table -> written(table, row, other))
                          .thenCompose(done -> tx.commitAsync()))
              .handle((commit, failure) -> conflict(failure));
    };
  }

  private static CompletableFuture<Void> written(
      AsyncTransactionalTable table, String row, String other) {
    return table
        .putAll(List.of(put(row, "a"), put(other, "b")))
        .thenCompose(done -> table.getAll(List.of(get(row), get(other))))
        .thenApply(rows -> null);
  }

  /** Others may have been faster; all else is a failure. */
  private static Void conflict(Throwable failure) {
    Throwable cause = Futures.unwrap(failure);
    assertTrue(cause == null || cause instanceof ConflictException, () -> "" + cause);
    return null;
  }
}
