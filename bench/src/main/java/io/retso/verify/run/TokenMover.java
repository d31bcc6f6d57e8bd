package io.retso.verify.run;

import io.retso.hbase.Transaction;
import io.retso.hbase.TransactionException;
import io.retso.hbase.TransactionManager;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Lists never shrink, so deletes get a workload of their own: a token lies in one place, a row of
 * one of the tables. A mover deletes it there and puts it somewhere else. Whoever looks at all
 * places in one snapshot must find it exactly once. For one thread.
 */
final class TokenMover implements Runnable {
  private static final int TOKENS = 4;
  private static final int PLACES = 3;
  private static final int PAUSE_MILLIS_MAX = 10;
  private static final int CREATE_ATTEMPTS_MAX = 100;

  private final TransactionManager manager;
  private final List<TableName> tables;
  private final Random random;
  private final Findings findings;
  private final Stop stop;

  TokenMover(
      TransactionManager manager, List<TableName> tables, long seed, Findings findings, Stop stop) {
    this.manager = manager;
    this.tables = tables;
    this.random = new Random(seed);
    this.findings = findings;
    this.stop = stop;
  }

  /** Where a token can be. */
  private record Place(int token, int table, int place) {
    byte[] row() {
      return Bytes.toBytes(String.format(Locale.ROOT, "token-%02d-%d", token, place));
    }

    byte[] family() {
      return ListKey.families()[place % 2];
    }

    byte[] qualifier() {
      return Bytes.toBytes("here");
    }
  }

  /** Puts every token somewhere, before the first mover begins. */
  static void create(TransactionManager manager, List<TableName> tables) throws IOException {
    for (int attempt = 1; ; attempt++) {
      try (Transaction tx = manager.begin()) {
        for (int token = 0; token < TOKENS; token++) {
          Place place = new Place(token, token % tables.size(), 0);
          tx.table(tables.get(place.table))
              .put(new Put(place.row()).addColumn(place.family(), place.qualifier(), value(token)));
        }
        tx.commit();
        return;
      } catch (TransactionException e) {
        if (!e.isRetryable() || attempt == CREATE_ATTEMPTS_MAX) {
          throw e;
        }
      }
    }
  }

  private static byte[] value(int token) {
    return Bytes.toBytes(token);
  }

  @Override
  public void run() {
    while (!stop.await(random.nextInt(PAUSE_MILLIS_MAX))) {
      int token = random.nextInt(TOKENS);
      try {
        look(token);
      } catch (IOException e) {
        stop.await(PAUSE_MILLIS_MAX); // conflicts, and what the faults do
      } catch (RuntimeException e) {
        if (!stop.isSet()) {
          findings.violation("token " + token + ": " + Traces.of(e));
        }
      }
    }
  }

  private void look(int token) throws IOException {
    List<Place> found;
    long start;
    try (Transaction tx = manager.begin()) {
      start = tx.startTimestamp();
      found = random.nextBoolean() ? byGets(tx, token) : byScans(tx, token);
      if (found.size() == 1 && random.nextBoolean()) {
        move(tx, found.get(0));
      }
      tx.commit();
    }
    // Judged after the commit: of a transaction that was too old, reads may miss versions.
    if (found.size() != 1) {
      findings.violation(
          "the snapshot of transaction " + start + " has token " + token + " in " + found);
    }
  }

  private List<Place> byGets(Transaction tx, int token) throws IOException {
    List<Place> found = new ArrayList<>();
    for (int table = 0; table < tables.size(); table++) {
      List<Get> gets = new ArrayList<>();
      for (int i = 0; i < PLACES; i++) {
        Place place = new Place(token, table, i);
        gets.add(new Get(place.row()).addColumn(place.family(), place.qualifier()));
      }
      Result[] rows = tx.table(tables.get(table)).get(gets);
      for (int i = 0; i < PLACES; i++) {
        if (!rows[i].isEmpty()) {
          found.add(new Place(token, table, i));
        }
      }
    }
    return found;
  }

  private List<Place> byScans(Transaction tx, int token) throws IOException {
    List<Place> found = new ArrayList<>();
    for (int table = 0; table < tables.size(); table++) {
      Scan scan =
          new Scan()
              .withStartRow(new Place(token, table, 0).row())
              .withStopRow(new Place(token, table, PLACES).row());
      try (ResultScanner rows = tx.table(tables.get(table)).getScanner(scan)) {
        for (Result row = rows.next(); row != null; row = rows.next()) {
          byte[] name = row.getRow();
          found.add(new Place(token, table, name[name.length - 1] - '0'));
        }
      }
    }
    return found;
  }

  private void move(Transaction tx, Place from) throws IOException {
    Place to = new Place(from.token, random.nextInt(tables.size()), random.nextInt(PLACES));
    Delete delete = new Delete(from.row());
    switch (random.nextInt(3)) {
      case 0 -> delete.addColumns(from.family(), from.qualifier());
      case 1 -> delete.addFamily(from.family());
      default -> {} // the whole row
    }
    tx.table(tables.get(from.table)).delete(delete);
    tx.table(tables.get(to.table))
        .put(new Put(to.row()).addColumn(to.family(), to.qualifier(), value(from.token)));
  }
}
