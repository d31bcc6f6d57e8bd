package io.retso.verify.clients;

import io.retso.hbase.Transaction;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.errors.TransactionException;
import io.retso.verify.lists.Findings;
import io.retso.verify.lists.ListKey;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
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
 * one of the tables, with its number as the value. A reader that looks at all places in one
 * snapshot must find it exactly once. Stateless.
 */
public final class Tokens {
  public static final int COUNT = 4;

  private static final int PLACES = 3;
  private static final int CREATE_ATTEMPTS_MAX = 100;
  private static final int CHECK_ATTEMPTS_MAX = 20;

  private final List<TableName> tables;

  public Tokens(List<TableName> tables) {
    this.tables = tables;
  }

  /** Where a token can be. */
  record Place(int token, int table, int place) {
    private byte[] row() {
      return Bytes.toBytes(String.format(Locale.ROOT, "token-%02d-%d", token, place));
    }

    private byte[] family() {
      return ListKey.families()[place % 2];
    }

    private byte[] qualifier() {
      return ListKey.qualifiers()[place / 2];
    }

    private Put put() {
      return new Put(row()).addColumn(family(), qualifier(), Bytes.toBytes(token));
    }
  }

  /** What is in a place. */
  record Found(Place place, Result row) {
    private boolean isRight() {
      byte[] value = row.getValue(place.family(), place.qualifier());
      return row.size() == 1 && Arrays.equals(value, Bytes.toBytes(place.token));
    }

    @Override
    public String toString() {
      return place + " with " + row + " = " + Bytes.toStringBinary(row.value());
    }
  }

  /** Puts every token somewhere, before the first mover begins. */
  public void create(TransactionManager manager) throws IOException {
    for (int attempt = 1; ; attempt++) {
      try (Transaction tx = manager.begin()) {
        for (int token = 0; token < COUNT; token++) {
          Place place = new Place(token, token % tables.size(), 0);
          tx.table(tables.get(place.table)).put(place.put());
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

  /** Looks into all places of a token. */
  List<Found> look(Transaction tx, int token, boolean byScans) throws IOException {
    List<Found> found = new ArrayList<>();
    for (int table = 0; table < tables.size(); table++) {
      if (byScans) {
        scan(tx, token, table, found);
      } else {
        get(tx, token, table, found);
      }
    }
    return found;
  }

  private void get(Transaction tx, int token, int table, List<Found> found) throws IOException {
    List<Get> gets = new ArrayList<>();
    for (int i = 0; i < PLACES; i++) {
      Place place = new Place(token, table, i);
      gets.add(new Get(place.row()).addColumn(place.family(), place.qualifier()));
    }
    Result[] rows = tx.table(tables.get(table)).get(gets);
    for (int i = 0; i < PLACES; i++) {
      if (!rows[i].isEmpty()) {
        found.add(new Found(new Place(token, table, i), rows[i]));
      }
    }
  }

  private void scan(Transaction tx, int token, int table, List<Found> found) throws IOException {
    Scan scan =
        new Scan()
            .withStartRow(new Place(token, table, 0).row())
            .withStopRow(new Place(token, table, PLACES).row());
    try (ResultScanner rows = tx.table(tables.get(table)).getScanner(scan)) {
      for (Result row = rows.next(); row != null; row = rows.next()) {
        byte[] name = row.getRow();
        found.add(new Found(new Place(token, table, name[name.length - 1] - '0'), row));
      }
    }
  }

  /**
   * What is wrong with the places of a token. To be judged after the commit: of a transaction that
   * was too old, reads may miss versions.
   *
   * @param start of the transaction that looked
   */
  public static Optional<String> problem(long start, int token, List<Found> found) {
    return found.size() == 1 && found.get(0).isRight()
        ? Optional.empty()
        : Optional.of(
            "the snapshot of transaction " + start + " has token " + token + " in " + found);
  }

  /** Deletes a token in one of several ways, and puts it somewhere; into the same place, too. */
  public void move(Transaction tx, Place from, Random random) throws IOException {
    Place to = new Place(from.token, random.nextInt(tables.size()), random.nextInt(PLACES));
    Delete delete = new Delete(from.row());
    switch (random.nextInt(3)) {
      case 0 -> delete.addColumns(from.family(), from.qualifier());
      case 1 -> delete.addFamily(from.family());
      default -> {} // the whole row
    }
    tx.table(tables.get(from.table)).delete(delete);
    tx.table(tables.get(to.table)).put(to.put());
  }

  /**
   * Looks for every token, by gets and by scans.
   *
   * @throws IOException if that is not possible, not at the twentieth attempt either
   */
  public void check(TransactionManager manager, Findings findings) throws IOException {
    check(manager, false).forEach(findings::violation);
    check(manager, true).forEach(findings::violation);
  }

  private List<String> check(TransactionManager manager, boolean byScans) throws IOException {
    for (int attempt = 1; ; attempt++) {
      try (Transaction tx = manager.begin()) {
        List<String> problems = new ArrayList<>();
        for (int token = 0; token < COUNT; token++) {
          problem(tx.startTimestamp(), token, look(tx, token, byScans)).ifPresent(problems::add);
        }
        tx.commit();
        return problems;
      } catch (IOException e) {
        if (attempt == CHECK_ATTEMPTS_MAX) {
          throw e;
        }
      }
    }
  }
}
